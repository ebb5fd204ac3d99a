// A minimal consumer of the price feed. It trusts a price only if the expected key signed it recently.
import { verify } from 'price-feed-mock/verify'

/** The latest price of a feed. Throws if it is missing, of another feed, not of the last minute, or not signed by the expected key. */
export async function latestPrice(feed, { baseUrl, apiKey, signer }) {
  const response = await fetch(`${baseUrl}/prices/${feed}/latest`, { headers: { authorization: apiKey } })
  if (!response.ok) throw new Error(`${feed}: ${response.status}`)
  const body = await response.json()
  // By the clock of the service, since that of a mock can be in another year.
  const now = Date.parse(response.headers.get('date')) / 1000
  // What was verified, and not what else the body may say.
  const [{ prices }] = verify(body, { signers: [signer], feeds: [feed], now, maxAge: 60, maxFuture: 5 })
  return Number(prices[0].price) / 10 ** -prices[0].expo
}

/** The close prices of a feed's candles, oldest first. */
export async function closes(feed, interval, { historyUrl }) {
  const query = new URLSearchParams({ feedids: feed, feed, type: '1', interval })
  const response = await fetch(`${historyUrl}/charting/feeds-data?${query}`)
  if (!response.ok) throw new Error(`${feed}, ${interval}: ${response.status}`)
  const { data } = await response.json()
  return data.result.map(({ close }) => close)
}
