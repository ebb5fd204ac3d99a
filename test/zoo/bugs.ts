// The bugs of the zoo: each changes at most five lines of a correct consumer, passes a calm market, and breaks one invariant.
import { PORTFOLIO_BUGS } from './portfolio-bugs.js'
import type { Bug } from './run.js'

const bugsOf = (consumer: string, bugs: readonly Omit<Bug, 'consumer'>[]): Bug[] =>
  bugs.map(bug => ({ ...bug, consumer }))

export const BUGS: readonly Bug[] = [
  ...bugsOf('price-store', [
    {
      name: 'shows any age as live',
      source: 'Venus and Blizz, May 2022: the LUNA feed was paused, and its last price went on',
      breaks: 'marks old prices',
      ...{ line: 'isLive: age <= MAX_AGE', instead: 'isLive: true' },
    },
    {
      ...{ name: 'off by one at the limit', source: 'classic', breaks: 'a price of 60 s is live' },
      ...{ line: 'isLive: age <= MAX_AGE', instead: 'isLive: age < MAX_AGE' },
    },
    {
      ...{ name: 'one second too generous', source: 'classic', breaks: 'marks old prices' },
      ...{ line: 'isLive: age <= MAX_AGE', instead: 'isLive: age <= MAX_AGE + 1' },
    },
    {
      ...{ name: 'overwrites with older prices', source: 'classic: replicas behind a load balancer' },
      breaks: 'never goes back',
      ...{ line: 'if (known !== undefined && ts < known.ts) continue', instead: '' },
    },
    {
      ...{ name: 'trusts any signer', source: 'SWC-122, no verification of the signer' },
      breaks: 'shows only signed prices',
      line: "if (address !== signer) throw new Error('wrong signer')",
      instead: "if (address === '') throw new Error('wrong signer')",
    },
    {
      ...{ name: 'verifies nothing', source: 'classic', breaks: 'shows only signed prices' },
      line: 'const address = recover(messageOf(body.prices), bytesOf(body.signature), body.recoveryId)',
      instead: 'const address = signer',
    },
    {
      name: 'assumes eight decimals',
      source: 'Pyth, 20 September 2021: a publisher sent BTC with other decimals',
      breaks: 'shows only signed prices',
      ...{ line: 'value: price * 10 ** expo', instead: 'value: price / 1e8' },
    },
    {
      ...{ name: 'matches a batch by position', source: 'classic', breaks: 'shows only signed prices' },
      line: 'for (const { feedId, price, expo, ts } of body.prices) {\n      if (!FEEDS.includes(feedId)) continue',
      instead: 'for (const [i, { price, expo, ts }] of body.prices.entries()) {\n      const feedId = FEEDS[i]!',
    },
    {
      ...{ name: 'accepts zero', source: 'classic', breaks: 'shows only signed prices' },
      ...{ line: 'if (price <= 0) continue', instead: 'if (price < 0) continue' },
    },
    {
      ...{ name: 'accepts negative prices', source: 'WTI crude, 20 April 2020: programs met a price of -37 USD' },
      breaks: 'shows only signed prices',
      ...{ line: 'if (price <= 0) continue', instead: 'if (price === 0) continue' },
    },
    {
      ...{ name: 'accepts the future', source: 'classic: an age below zero passes each maximum' },
      breaks: 'marks old prices',
      ...{ line: 'if (ts > seconds() + MAX_AHEAD) continue', instead: '' },
    },
    {
      ...{ name: 'keeps a feed that is gone', source: 'classic', breaks: 'drops a feed that is gone' },
      line: 'for (const id of FEEDS) if (!body.prices.some(({ feedId }) => feedId === id)) quotes.delete(id)',
      instead:
        'for (const id of FEEDS) if (!body.prices.some(({ feedId }) => feedId === id)) quotes.set(id, { ...quotes.get(id)!, ts: seconds() })',
    },
    {
      ...{ name: 'one bad reply ends the loop', source: 'classic: an error outside of try', breaks: 'never breaks' },
      ...{ line: 'failures++\n', instead: 'if (error instanceof SyntaxError) throw error\n          failures++\n' },
    },
    {
      ...{ name: 'ignores Retry-After', source: 'classic', breaks: 'waits after 429' },
      ...{ line: 'if (reply.status === 429) pauseUntil = now() + waitOf(reply)', instead: '' },
    },
    {
      ...{ name: 'Retry-After in milliseconds', source: 'classic: the header is in seconds' },
      breaks: 'waits after 429',
      ...{ line: 'wait * 1000 : 30_000', instead: 'wait : 30_000' },
    },
    {
      ...{ name: 'polls on with a rejected key', source: 'classic', breaks: 'stops with a rejected key' },
      ...{ line: 'pauseUntil = now() + 30_000\n    }', instead: '}' },
    },
    {
      ...{ name: 'hides that the key is rejected', source: 'classic', breaks: 'says that the key is rejected' },
      ...{ line: "notice = 'key rejected'", instead: "notice = ''" },
    },
    {
      ...{ name: 'no timeout', source: 'classic', breaks: 'asks for prices' },
      ...{ line: '{ key, timeoutMs: 4_000 }', instead: '{ key }' },
    },
    {
      ...{ name: 'gives up after some failures', source: 'classic: a circuit breaker that never closes' },
      breaks: 'asks for prices',
      ...{ line: 'const slower = Math.min(4, 1 + failures / 4)', instead: 'const slower = failures > 6 ? 1e6 : 1' },
    },
    {
      ...{ name: 'back-off without a limit', source: 'classic', breaks: 'asks again' },
      ...{ line: 'const slower = Math.min(4, 1 + failures / 4)', instead: 'const slower = 2 ** failures' },
    },
    {
      ...{ name: 'the notice stays', source: 'classic: an error that nobody takes back', breaks: 'the notice goes' },
      ...{ line: "notice = ''\n    failures = 0", instead: 'failures = 0' },
    },
    {
      ...{ name: 'does not sort candles', source: 'lightweight-charts: "data must be asc ordered by time"' },
      breaks: 'candles ascend',
      line: 'chart = [...byTime.values()].sort((a, b) => a.time - b.time)',
      instead: 'chart = [...byTime.values()]',
    },
    {
      ...{ name: 'keeps duplicate candles', source: 'lightweight-charts: "data must be asc ordered by time"' },
      breaks: 'candles ascend',
      line: 'chart = [...byTime.values()].sort((a, b) => a.time - b.time)',
      instead:
        'chart = body.data.result.filter(({ time, close }) => byTime.get(time)?.close === close && close !== null).sort((a, b) => a.time - b.time)',
    },
    {
      ...{ name: 'draws null', source: 'lightweight-charts: "Value is null"', breaks: 'candles are numbers' },
      line: 'if (![time, open, high, low, close].every(Number.isFinite) || high < low) continue',
      instead: 'if (!Number.isFinite(time)) continue',
    },
    {
      ...{ name: 'draws negative volume', source: 'classic', breaks: 'candles are numbers' },
      ...{ line: 'volume: Math.max(0, volume || 0)', instead: 'volume' },
    },
    {
      ...{ name: 'empties the chart', source: 'classic', breaks: 'shows a chart' },
      ...{ line: 'if (byTime.size === 0) return', instead: '' },
    },
    {
      ...{ name: 'sorts before it verifies', source: 'classic: the signature covers the order of the reply' },
      breaks: 'shows only signed prices',
      line: 'const address = recover(messageOf(body.prices)',
      instead:
        'body.prices.sort((a, b) => FEEDS.indexOf(a.feedId) - FEEDS.indexOf(b.feedId))\n    const address = recover(messageOf(body.prices)',
    },
    {
      ...{ name: 'leaves ts out of the signed bytes', source: 'SWC-121, replay of signatures' },
      breaks: 'shows only signed prices',
      line: 'const address = recover(messageOf(body.prices), bytesOf(body.signature), body.recoveryId)\n    if (address !== signer)',
      instead:
        "const [first] = body.prices\n    const address = first && [0, 2, 4, 60].some(d => recover(messageOf(body.prices.map(p => ({ ...p, ts: p.ts - d }))), bytesOf(body.signature), body.recoveryId) === signer) ? signer : ''\n    if (address !== signer)",
    },

    {
      name: 'obeys any Retry-After',
      ...{ source: 'classic: a header of another party decides for how long a page is dead', breaks: 'asks again' },
      line: 'return wait >= 0 && wait <= 300 ? wait * 1000 : 30_000',
      instead: 'return wait >= 0 ? wait * 1000 : 30_000',
    },
    {
      name: 'a timeout that ends with the head',
      source: 'classic: the timer is cleared when fetch resolves, which is before the body',
      breaks: 'asks for prices',
      line: 'await fetch(path, { key, timeoutMs: 4_000 })',
      instead:
        'await Promise.race([fetch(path, { key }), sleep(4_000).then((): never => { throw new Error("late") })])',
    },
    {
      ...{ name: 'times of 31 bits', source: 'the year 2038', breaks: 'shows a good price' },
      line: 'quotes.set(feedId, { value: price * 10 ** expo, ts })',
      instead: 'quotes.set(feedId, { value: price * 10 ** expo, ts: ts | 0 })',
    },
    {
      ...{ name: 'all feeds or none', source: 'classic', breaks: 'drops a feed that is gone' },
      line: 'for (const id of FEEDS) if (!body.prices.some(({ feedId }) => feedId === id)) quotes.delete(id)',
      instead: '',
    },
    {
      ...{ name: 'one odd price blocks the others', source: 'classic', breaks: 'shows a good price' },
      ...{ line: 'if (price <= 0) continue', instead: "if (price <= 0) throw new Error('no price')" },
    },
    {
      ...{ name: 'counts candles', source: 'classic: the time of a candle from its place' },
      breaks: 'shows the candles of the service',
      line: 'chart = [...byTime.values()].sort((a, b) => a.time - b.time)',
      instead:
        'chart = [...byTime.values()].sort((a, b) => a.time - b.time).map((candle, i, all) => ({ ...candle, time: all[0]!.time + 60_000 * i }))',
    },
    {
      ...{ name: 'closed candles are final', source: 'classic: a cache that is never told of a correction' },
      breaks: 'shows the candles of the service',
      line: 'chart = [...byTime.values()].sort',
      instead:
        'for (const candle of chart.slice(0, -2)) if (byTime.has(candle.time)) byTime.set(candle.time, candle)\n    chart = [...byTime.values()].sort',
    },
    {
      ...{ name: 'no prices without a chart', source: 'classic: one await after the other', breaks: 'asks for prices' },
      line: 'Promise.all([repeat(pollPrices, POLL_MS), repeat(pollChart, CHART_MS)])',
      instead: 'repeat(async () => pollChart().then(pollPrices), POLL_MS)',
    },
    {
      ...{ name: 'a strict schema', source: 'classic: an addition to the service is an outage' },
      breaks: 'shows a good price',
      line: "if (![price, expo, ts].every(Number.isSafeInteger)) throw new Error('no integer')",
      instead:
        "if (![price, expo, ts].every(Number.isSafeInteger) || Object.keys(body).length !== 3) throw new Error('unknown fields')",
    },
    {
      ...{ name: 'reads what it does not check', source: 'classic: undefined becomes NaN three functions later' },
      breaks: 'shows only signed prices',
      line: "if (![price, expo, ts].every(Number.isSafeInteger)) throw new Error('no integer')",
      instead: "if (price === undefined) throw new Error('no price')",
    },
  ]),
  ...bugsOf('risk-engine', [
    {
      ...{ name: 'never looks at ts', source: 'Venus and Blizz, May 2022', breaks: 'acts on fresh prices' },
      ...{ line: 'const MAX_AGE = 60', instead: 'const MAX_AGE = 1e9' },
    },
    {
      ...{ name: 'checks ts once', source: 'classic: a value grows old after its check' },
      breaks: 'acts on fresh prices',
      line: 'if (known === undefined || seconds() - known.ts > MAX_AGE) return undefined',
      instead: 'if (known === undefined) return undefined',
    },
    {
      ...{ name: 'acts on a single price', source: 'Compound, 26 November 2020: DAI at 1.30 on one exchange' },
      breaks: 'a single price is confirmed',
      ...{ line: 'if (isBelieved(feedId, next)) values.set(feedId, next)', instead: 'values.set(feedId, next)' },
    },
    {
      ...{ name: 'confirms a price by itself', source: 'classic: the same tick again is no second one' },
      breaks: 'a single price is confirmed',
      line: 'suspect.ts < next.ts && !isFar(suspect.value, next.value)) return true',
      instead: '!isFar(suspect.value, next.value)) return true',
    },
    {
      name: 'never believes a fall',
      source: 'Black Thursday, 12 March 2020: feeds and keepers that did not follow',
      breaks: 'uses a good price',
      line: 'if (suspect !== undefined && suspect.ts < next.ts && !isFar(suspect.value, next.value)) return true',
      instead: '',
    },
    {
      ...{ name: 'a stablecoin is a dollar', source: 'USDC, 11 March 2023: 0.87 USD', breaks: 'liquidates in time' },
      line: 'const collateral = usable(account.collateral.feed)',
      instead: "const collateral = account.collateral.feed === 'USDCUSD' ? 1 : usable(account.collateral.feed)",
    },
    {
      ...{ name: 'trusts a price that does not move', source: 'classic: a publisher that is stuck, with a fresh ts' },
      breaks: 'a flat price is not trusted',
      line: 'if (!isPegged && last !== undefined && known.ts - last.ts > FLAT_SECONDS) return undefined',
      instead: '',
    },
    {
      name: 'trusts any recovered key',
      ...{ source: 'Wormhole, 2 February 2022: a verification that was not compared', breaks: 'acts on signed prices' },
      line: "if (recover(evmMessage(quote), bytes.slice(0, 64), v - 27) !== signer) throw new Error('wrong signer')",
      instead: "if (recover(evmMessage(quote), bytes.slice(0, 64), v - 27) === '') throw new Error('wrong signer')",
    },
    {
      ...{ name: 'takes another feed for its own', source: 'classic', breaks: 'acts on signed prices' },
      line: 'const { feedId, price, expo, ts } = quote\n      const known',
      instead:
        'const { price, expo, ts } = quote\n      const feedId = feeds[body.prices.indexOf(quote)]!\n      const known',
    },
    {
      ...{ name: 'one bad price discards the rest', source: 'classic', breaks: 'uses a good price' },
      ...{ line: '} catch {\n        continue', instead: '} catch {\n        break' },
    },
    {
      ...{ name: 'retries without a pause', source: 'classic', breaks: 'asks calmly' },
      ...{ line: 'await sleep(500 * 2 ** attempt)', instead: 'attempt--' },
    },
    {
      ...{ name: 'retries a request that was refused', source: 'classic', breaks: 'waits after 429' },
      line: 'if (reply.status < 500 || attempt === 3) throw new Error(`status ${reply.status}`)\n      } catch (error) {\n        if (attempt === 3 || now() < waitUntil) throw error',
      instead:
        'if (attempt === 3) throw new Error(`status ${reply.status}`)\n      } catch (error) {\n        if (attempt === 3) throw error',
    },
    {
      ...{ name: 'one failure ends the engine', source: 'classic', breaks: 'never breaks' },
      ...{ line: 'await poll().catch(() => {})', instead: 'await poll()' },
    },
    {
      ...{ name: 'no timeout', source: 'classic', breaks: 'asks again' },
      ...{ line: '{ key, timeoutMs: 3_000 }', instead: '{ key }' },
    },
    {
      ...{ name: 'a numeric string is a number', source: 'classic: "1753" + 60', breaks: 'acts on signed prices' },
      ...{ line: "if (![price, expo, ts].every(Number.isSafeInteger)) throw new Error('no integer')", instead: '' },
    },
    {
      ...{ name: 'assumes eight decimals', source: 'Pyth, 20 September 2021', breaks: 'acts on signed prices' },
      ...{ line: 'value: price / 10 ** -expo', instead: 'value: price / 1e8' },
    },
    {
      ...{ name: 'accepts zero', source: 'classic', breaks: 'acts on signed prices' },
      ...{ line: "if (price <= 0) throw new Error('no price')", instead: "if (price < 0) throw new Error('no price')" },
    },
    {
      ...{ name: 'accepts negative prices', source: 'WTI crude, 20 April 2020', breaks: 'acts on signed prices' },
      ...{ line: "if (price <= 0) throw new Error('no price')", instead: 'if (price === 0) return' },
    },
    {
      ...{ name: 'accepts the future', source: 'classic', breaks: 'acts on fresh prices' },
      ...{ line: "if (ts > seconds() + MAX_AHEAD) throw new Error('from the future')", instead: '' },
    },
    {
      ...{ name: 'goes back in time', source: 'classic: replicas behind a load balancer', breaks: 'never goes back' },
      ...{ line: 'if (known !== undefined && ts < known.ts) continue', instead: '' },
    },
    {
      ...{ name: 'waits for all feeds', source: 'classic', breaks: 'liquidates in time' },
      ...{ line: 'liquidate()\n  }', instead: 'if (feeds.every(feed => usable(feed) !== undefined)) liquidate()\n  }' },
    },
    {
      ...{ name: 'the history widens the range', source: 'classic: an outlier that is in the history confirms itself' },
      breaks: 'a single price is confirmed',
      line: 'if (believed !== undefined && (high > believed * 1.25 || low < believed / 1.25)) continue',
      instead: '',
    },
    {
      ...{ name: 'high and low may be swapped', source: 'classic', breaks: 'takes signed ranges' },
      ...{ line: 'if (!(low > 0 && high >= low)) continue', instead: '' },
    },

    {
      ...{ name: 'the history is not verified', source: 'classic: the second source is trusted as it is' },
      breaks: 'takes signed ranges',
      ...{ line: 'return recover(svmMessage(past), rs, recoveryId) === signer', instead: 'return rs.length === 64' },
    },
    {
      ...{ name: 'the history of another feed', source: 'classic', breaks: 'takes signed ranges' },
      line: 'if (feedId !== feed || ![price, expo, ts].every(Number.isSafeInteger)) return false',
      instead: 'if (![price, expo, ts].every(Number.isSafeInteger)) return false',
    },
    {
      ...{ name: 'the high of an hour is the price', source: 'classic: a fallback that is never tried' },
      breaks: 'acts on fresh prices',
      line: 'if (known === undefined || seconds() - known.ts > MAX_AGE) return undefined',
      instead:
        'if (known === undefined) return undefined\n    if (seconds() - known.ts > MAX_AGE) return ranges.get(feed)?.high',
    },
    {
      ...{ name: 'no history, no prices', source: 'classic: a secondary source takes the primary one down' },
      breaks: 'uses a good price',
      line: 'if (known === undefined || seconds() - known.ts > MAX_AGE) return undefined',
      instead: 'if (known === undefined || seconds() - known.ts > MAX_AGE || !ranges.has(feed)) return undefined',
    },
    {
      ...{ name: 'obeys any Retry-After', source: 'classic', breaks: 'asks again' },
      ...{ line: '(wait > 0 && wait <= 600 ? wait : 60)', instead: '(wait > 0 ? wait : 60)' },
    },
    {
      ...{ name: 'times of 31 bits', source: 'the year 2038', breaks: 'uses a good price' },
      line: 'const next = { value: price / 10 ** -expo, ts }',
      instead: 'const next = { value: price / 10 ** -expo, ts: ts | 0 }',
    },
    {
      ...{ name: 'ninety seconds in place of sixty', source: 'classic: two limits for one thing' },
      breaks: 'acts on fresh prices',
      ...{ line: 'const MAX_AGE = 60', instead: 'const MAX_AGE = 90' },
    },
  ]),
  ...bugsOf('keeper', [
    {
      ...{ name: 'posts old prices', source: 'classic', breaks: 'no post is refused' },
      ...{ line: "if (ts < seconds() - MAX_AGE) throw new Error('stale')", instead: '' },
    },
    {
      ...{ name: 'posts the future', source: 'classic', breaks: 'no post is refused' },
      ...{ line: "if (ts > seconds() + MAX_AHEAD) throw new Error('from the future')", instead: '' },
    },
    {
      ...{ name: 'posts the other half of s', source: 'EIP-2; OpenZeppelin, CVE-2022-35961' },
      breaks: 'no post is refused',
      ...{ line: "if (rs[32]! >= 0x80) throw new Error('high s')", instead: '' },
    },
    {
      ...{ name: 'does not verify before it posts', source: 'classic: the gas of each refused post' },
      breaks: 'no post is refused',
      line: "if (recover(messageOf(latest), rs, recoveryId) !== signer) throw new Error('wrong signer')",
      instead: '',
    },
    {
      ...{ name: 'tries both recovery ids', source: 'classic', breaks: 'no post is refused' },
      line: "if (recover(messageOf(latest), rs, recoveryId) !== signer) throw new Error('wrong signer')",
      instead: "if (![0, 1].some(id => recover(messageOf(latest), rs, id) === signer)) throw new Error('wrong signer')",
    },
    {
      ...{ name: 'does not look at the feed', source: 'classic', breaks: 'no post is refused' },
      ...{ line: "if (feedId !== FEED) throw new Error('another feed')", instead: '' },
    },
    {
      ...{ name: 'does not look at expo', source: 'Pyth, 20 September 2021', breaks: 'no post is refused' },
      ...{ line: "if (expo !== -8) throw new Error('another expo')", instead: '' },
    },
    {
      ...{ name: 'posts zero', source: 'classic', breaks: 'no post is refused' },
      ...{ line: "if (price <= 0) throw new Error('no price')", instead: '' },
    },
    {
      ...{ name: 'posts a single spike', source: 'Synthetix, 25 June 2019: sKRW a thousand times too high' },
      breaks: 'a single price is confirmed',
      ...{ line: 'if (!isConfirmed(latest) || !isDue(post)) return', instead: 'if (!isDue(post)) return' },
    },
    {
      ...{ name: 'never posts after a jump', source: 'Black Thursday, 12 March 2020', breaks: 'posts in time' },
      line: 'if (jump !== undefined && latest.ts > jump.ts && Math.abs(latest.price / jump.price - 1) < JUMP / 4) return true',
      instead: '',
    },
    {
      ...{ name: 'dies with the first error', source: 'classic', breaks: 'never breaks' },
      line: 'alarms.push((error as Error).message)\n',
      instead: 'alarms.push((error as Error).message)\n            if (alarms.length > 2) throw error\n',
    },
    {
      ...{ name: 'back-off without a limit', source: 'classic', breaks: 'asks again' },
      ...{ line: 'Math.min(15_000, delayMs * 1.5)', instead: 'delayMs * 1.5' },
    },
    {
      ...{ name: 'no timeout', source: 'classic', breaks: 'asks again' },
      ...{ line: '{ key, timeoutMs: 5_000 }', instead: '{ key }' },
    },
    {
      ...{ name: 'ignores Retry-After', source: 'classic', breaks: 'waits after 429' },
      ...{ line: 'waitUntil = now() + (wait > 0 && wait < 600 ? wait : 30) * 1000', instead: 'delayMs = POLL_MS' },
    },
    {
      ...{ name: 'polls on with a rejected key', source: 'classic', breaks: 'stops with a rejected key' },
      line: "alarms.push('key rejected')\n      waitUntil = now() + 60_000",
      instead: "alarms.push('key rejected')\n      return read()",
    },
    {
      ...{ name: 'rounds large prices', source: 'Twitter, 2010: ids above 2^53', breaks: 'no post is refused' },
      line: 'if (![price, expo, ts, recoveryId].every(Number.isSafeInteger)) throw',
      instead: 'if (![price, expo, ts, recoveryId].every(Number.isInteger)) throw',
    },

    {
      ...{ name: 'obeys any Retry-After', source: 'classic', breaks: 'asks again' },
      ...{ line: '(wait > 0 && wait < 600 ? wait : 30)', instead: '(wait > 0 ? wait : 30)' },
    },
    {
      ...{ name: 'times of 31 bits', source: 'the year 2038', breaks: 'posts in time' },
      line: 'const { feedId, price, expo, ts, signature, recoveryId } = latest\n',
      instead: 'const { feedId, price, expo, signature, recoveryId } = latest\n    const ts = latest.ts | 0\n',
    },
    {
      ...{ name: 'one second too generous', source: 'classic: the contract refuses what the keeper still accepts' },
      breaks: 'no post is refused',
      ...{ line: 'const MAX_AGE = 30', instead: 'const MAX_AGE = 61' },
    },
    {
      ...{ name: 'stale prices block it for ever', source: 'classic: a circuit breaker without a way back' },
      breaks: 'asks again',
      line: "if (ts < seconds() - MAX_AGE) throw new Error('stale')",
      instead:
        "if (ts < seconds() - MAX_AGE) {\n      waitUntil = Number.POSITIVE_INFINITY\n      throw new Error('stale')\n    }",
    },
    {
      ...{ name: 'a rejected key ends it', source: 'classic: keys are rotated', breaks: 'asks again' },
      ...{ line: 'waitUntil = now() + 60_000', instead: 'waitUntil = Number.POSITIVE_INFINITY' },
    },
  ]),
  ...bugsOf('treasury', [
    {
      ...{ name: 'an alarm every Friday night', source: 'classic', breaks: 'no alarm at the weekend' },
      ...{ line: "if (feed === 'BTCUSD') return true", instead: "if (feed !== '') return true" },
    },
    {
      ...{ name: 'the weekend is Saturday and Sunday', source: 'classic: currencies close on Friday evening' },
      breaks: 'no alarm at the weekend',
      ...{ line: 'const CLOSES = DAY + 21 * HOUR', instead: 'const CLOSES = 2 * DAY' },
    },
    {
      ...{ name: 'the week begins on Monday', source: 'classic: currencies open on Sunday evening' },
      breaks: 'asks while a market is open',
      ...{ line: 'const OPENS = 3 * DAY + 21 * HOUR', instead: 'const OPENS = 4 * DAY' },
    },
    {
      ...{ name: 'a price of Friday is worth nothing on Sunday', source: 'classic', breaks: 'no alarm at the weekend' },
      line: 'return seconds() - quote.ts <= OPENS - CLOSES + 2 * MAX_AGE',
      instead: 'return seconds() - quote.ts <= DAY',
    },
    {
      ...{ name: 'all markets have weekends', source: 'classic: coins trade on', breaks: 'alarms an old price' },
      ...{ line: "if (feed === 'BTCUSD') return true", instead: '' },
    },
    {
      ...{ name: 'the weekend lasts all week', source: 'Venus and Blizz, May 2022', breaks: 'alarms an old price' },
      ...{ line: 'if (isOpen(feed) && isOpen(feed, MAX_AGE)) return seconds() - quote.ts <= MAX_AGE', instead: '' },
    },
    {
      ...{ name: 'divides by the volume of a closed day', source: 'classic: 0 / 0', breaks: 'the average is a number' },
      ...{ line: 'Number.isFinite(avg) && volume > 0)', instead: 'Number.isFinite(avg))' },
    },
    {
      ...{ name: 'averages null', source: 'classic: null is 0 in a sum', breaks: 'the average is a number' },
      line: '.filter(({ avg, volume }) => Number.isFinite(avg) && volume > 0)',
      instead: '.filter(({ volume }) => volume !== 0)',
    },
    {
      ...{ name: 'times of 31 bits', source: 'the year 2038', breaks: 'uses a good price' },
      line: 'quotes.set(feed, { value: price * 10 ** expo, ts })',
      instead: 'quotes.set(feed, { value: price * 10 ** expo, ts: ts | 0 })',
    },
    {
      ...{ name: 'takes the price of another feed', source: 'classic', breaks: 'values by signed prices' },
      ...{ line: 'if (feedId !== feed || ![price', instead: 'if (![price' },
    },
    {
      name: 'believes only what is near its first price',
      ...{ source: 'classic: a limit around a price that never follows', breaks: 'uses a good price' },
      line: 'if (ts < (quotes.get(feed)?.ts ?? 0)) return',
      instead:
        'const first = quotes.get(`first ${feed}`)?.value ?? price * 10 ** expo\n    quotes.set(`first ${feed}`, { value: first, ts })\n    if (ts < (quotes.get(feed)?.ts ?? 0) || Math.abs((price * 10 ** expo) / first - 1) > 0.05) return',
    },
    {
      ...{ name: 'no timeout', source: 'classic', breaks: 'asks while a market is open' },
      ...{ line: '{ key, timeoutMs: 5_000 }', instead: '{ key }' },
    },
  ]),
  ...PORTFOLIO_BUGS,
]
