// A consumer of the price feed, as small as one can be: it trusts a price only when the right key signed it, and not long ago.
import { verify } from 'price-feed-mock/verify'

const STALE_AFTER_S = 60

/** The latest price of a feed. Throws unless it is signed, fresh, and there. */
export async function latestPrice(feed, { baseUrl, apiKey, signer }) {
  const response = await fetch(`${baseUrl}/prices/${feed}/latest`, { headers: { authorization: apiKey } })
  if (!response.ok) throw new Error(`${feed}: ${response.status}`)
  const body = await response.json()
  verify(body, { signers: [signer] })
  // The service's clock, not ours: a mock may live in another year.
  const age = Date.parse(response.headers.get('date')) / 1000 - body.ts
  if (age > STALE_AFTER_S) throw new Error(`${feed}: the price is ${age} s old`)
  return body.price / 10 ** -body.expo
}

/** The closes of a feed's candles, oldest first. */
export async function closes(feed, interval, { historyUrl }) {
  const query = new URLSearchParams({ feedids: feed, feed, type: '1', interval })
  const response = await fetch(`${historyUrl}/charting/feeds-data?${query}`)
  if (!response.ok) throw new Error(`${feed}, ${interval}: ${response.status}`)
  const { data } = await response.json()
  return data.result.map(({ close }) => close)
}
