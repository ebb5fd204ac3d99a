// A minimal consumer of the price feed. It trusts a price only if the expected key signed it recently.
import { verify } from 'price-feed-mock/verify'

const STALE_AFTER_S = 60

/** The latest price of a feed. Throws if the price is missing, stale or not signed by the expected key. */
export async function latestPrice(feed, { baseUrl, apiKey, signer }) {
  const response = await fetch(`${baseUrl}/prices/${feed}/latest`, { headers: { authorization: apiKey } })
  if (!response.ok) throw new Error(`${feed}: ${response.status}`)
  const body = await response.json()
  verify(body, { signers: [signer] })
  // By the clock of the service, since that of a mock can be in another year.
  const age = Date.parse(response.headers.get('date')) / 1000 - body.ts
  if (age > STALE_AFTER_S) throw new Error(`${feed}: the price is ${age} s old`)
  return body.price / 10 ** -body.expo
}

/** The close prices of a feed's candles, oldest first. */
export async function closes(feed, interval, { historyUrl }) {
  const query = new URLSearchParams({ feedids: feed, feed, type: '1', interval })
  const response = await fetch(`${historyUrl}/charting/feeds-data?${query}`)
  if (!response.ok) throw new Error(`${feed}, ${interval}: ${response.status}`)
  const { data } = await response.json()
  return data.result.map(({ close }) => close)
}
