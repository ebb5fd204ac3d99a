// The bugs of the portfolio in Python.
import type { Bug } from './run.js'

const CAUGHT = '(Refused, KeyError, TypeError, ValueError)'

export const PORTFOLIO_BUGS: readonly Bug[] = [
  {
    name: 'never looks at ts',
    source: 'Venus and Blizz, May 2022: the LUNA feed was paused, and its last price went on',
    line: 'if price is None or self.now - price["ts"] > MAX_AGE:',
    instead: 'if price is None:',
    breaks: 'values fresh prices only',
  },
  {
    name: 'off by one at the limit',
    source: 'classic',
    line: 'self.now - price["ts"] > MAX_AGE:',
    instead: 'self.now - price["ts"] >= MAX_AGE:',
    breaks: 'values a good price',
  },
  {
    name: 'prices as floats',
    source: 'classic: a double holds integers up to 2^53',
    line: 'Decimal(price["price"]).scaleb',
    instead: 'Decimal(float(price["price"])).scaleb',
    breaks: 'values are exact',
  },
  {
    name: 'assumes eight decimals',
    source: 'Pyth, 20 September 2021: a publisher sent BTC with other decimals',
    line: '.scaleb(price["expo"])',
    instead: '.scaleb(-8)',
    breaks: 'values are exact',
  },
  {
    name: 'expects JSON',
    source: 'classic: an error page of a proxy',
    line: CAUGHT,
    instead: '(Refused, KeyError, TypeError)',
    breaks: 'never breaks',
  },
  {
    name: 'expects every field',
    source: 'classic: KeyError',
    line: CAUGHT,
    instead: '(Refused, TypeError, ValueError)',
    breaks: 'never breaks',
  },
  {
    name: 'expects numbers',
    source: 'classic: "str" object has no attribute "to_bytes"',
    line: '                raise Refused("no integer")',
    instead: '                pass',
    breaks: 'never breaks',
  },
  {
    name: 'expects 64 bits',
    source: 'classic: OverflowError: int too big to convert',
    line: 'if not -(2**63) <= price["price"] < 2**63:',
    instead: 'if price["price"] is None:',
    breaks: 'never breaks',
  },
  {
    name: 'recovers, and does not compare',
    source: 'Wormhole, 2 February 2022',
    line: 'if answer.get("address") != self.signer:',
    instead: 'if answer.get("address") is None:',
    breaks: 'values are exact',
  },
  {
    name: 'matches a batch by position',
    source: 'classic: zip over two lists',
    line: 'for price in reply["prices"]:\n            if price["feedId"] not in UNITS or price["price"] <= 0:',
    instead:
      'for feed_id, price in zip(UNITS, reply["prices"]):\n            price = {**price, "feedId": feed_id}\n            if price["price"] <= 0:',
    breaks: 'values are exact',
  },
  {
    name: 'goes back in time',
    source: 'classic: replicas behind a load balancer',
    line: 'if known is None or price["ts"] >= known["ts"]:',
    instead: 'if True:',
    breaks: 'never goes back',
  },
  {
    name: 'accepts negative prices',
    source: 'WTI crude, 20 April 2020: -37 USD',
    line: 'not in UNITS or price["price"] <= 0:',
    instead: 'not in UNITS:',
    breaks: 'values are exact',
  },
  {
    name: 'accepts the future',
    source: 'classic: an age below zero is below each maximum',
    line: 'if price["ts"] > self.now + MAX_AHEAD:',
    instead: 'if False:',
    breaks: 'values fresh prices only',
  },
  {
    name: 'waits as long as it is told',
    source: 'classic: Retry-After of a day',
    line: 'return seconds if 0 < seconds <= LONGEST_WAIT else 20',
    instead: 'return max(1, seconds)',
    breaks: 'asks again',
  },
  {
    name: 'no timeout',
    source: 'requests: without a timeout, a request can wait for ever',
    line: '"timeout": 4}',
    instead: '"timeout": None}',
    breaks: 'asks again',
  },
  {
    name: 'the alarm stays',
    source: 'classic: an error that nobody takes back',
    line: '                    self.alarm = ""\n',
    instead: '',
    breaks: 'the alarm goes',
  },
].map(bug => ({ ...bug, consumer: 'portfolio' }))
