// A typical page of a consumer: it requests a price every second and shows whether it is fresh by the clock of the page.

/** The page; `base` and `key` in its query select the mock and the session. */
export const HTML = `<!doctype html>
<title>BTC</title>
<p id="state">waiting</p>
<p>at <time id="now"></time></p>
<p id="prices"></p>
<p id="minute"></p>
<script>
  const { base, key } = Object.fromEntries(new URLSearchParams(location.search))
  const prices = new Set()
  const show = (id, text) => (document.getElementById(id).textContent = text)
  const poll = async () => {
    show('now', new Date().toISOString())
    try {
      const response = await fetch(base + '/prices/BTCUSD/latest', { headers: { authorization: key } })
      const { ts, price } = await response.json()
      show('prices', [...prices.add(price / 1e8)].join())
      const age = Math.floor(Date.now() / 1000) - ts
      show('state', age < -1 ? 'ahead' : age <= 60 ? 'fresh' : 'stale')
    } catch {
      show('state', 'failed')
    }
  }
  poll()
  setInterval(poll, 1000)
  setTimeout(() => show('minute', 'a minute has passed at ' + new Date().toISOString()), 60_000)
</script>`
