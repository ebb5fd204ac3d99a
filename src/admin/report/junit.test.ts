// Report cards as JUnit XML: the whole text.
import { expect, it } from 'vitest'
import { escapeXml, type JUnitInput, toJUnit, toJUnitDocument } from './junit.js'

const CARD: JUnitInput = {
  session: 'a',
  seed: '42',
  scenario: 'calm',
  requests: 3,
  dropped: 0,
  checks: [
    { id: 'key-form', title: 'T', status: 'failed', text: 'One & "two".', requests: [1, 2], count: 5 },
    { id: 'retry-after', title: 'T', status: 'not-seen', text: 'None.', requests: [], count: 0 },
    { id: 'errors-heeded', title: 'T', status: 'not-seen', text: 'None.', requests: [], count: 0 },
    { id: 'unknown-feeds', title: 'T', status: 'ok', text: 'Fine.', requests: [], count: 0 },
    { id: 'polling-rate.latest', title: 'T', status: 'info', text: 'Often.', requests: [3], count: 1 },
  ],
  verdicts: [
    { case: 'stale <btc>', ok: false, why: 'traded', n: 3, now: 1, receivedAt: 1 },
    { case: 'zero', ok: true, n: 3, now: 1, receivedAt: 1 },
    { case: 'gap', ok: false, n: 3, now: 1, receivedAt: 1 },
  ],
}

it('default: a suite for each session', () => {
  expect(toJUnit([CARD])).toMatchInlineSnapshot(`
    "<?xml version="1.0" encoding="UTF-8"?>
    <testsuites name="price-feed-mock" tests="8" failures="3" errors="0" time="0">
      <testsuite name="price-feed-mock session a" tests="8" failures="3" errors="0" skipped="2" time="0">
        <properties>
          <property name="seed" value="42"/>
          <property name="scenario" value="calm"/>
          <property name="requests" value="3"/>
          <property name="dropped" value="0"/>
        </properties>
        <testcase classname="price-feed-mock.a" name="key-form" time="0"><failure message="One &amp; &quot;two&quot;." type="key-form">One &amp; &quot;two&quot;.&#10;Requests of the journal (n): 1, 2, and 3 more</failure></testcase>
        <testcase classname="price-feed-mock.a" name="retry-after" time="0"><skipped message="None."/></testcase>
        <testcase classname="price-feed-mock.a" name="errors-heeded" time="0"><skipped message="None."/></testcase>
        <testcase classname="price-feed-mock.a" name="unknown-feeds" time="0"><system-out>Fine.</system-out></testcase>
        <testcase classname="price-feed-mock.a" name="polling-rate.latest" time="0"><system-out>Often.</system-out></testcase>
        <testcase classname="price-feed-mock.a" name="verdict: stale &lt;btc&gt;" time="0"><failure message="traded" type="verdict">traded</failure></testcase>
        <testcase classname="price-feed-mock.a" name="verdict: zero" time="0"/>
        <testcase classname="price-feed-mock.a" name="verdict: gap" time="0"><failure message="The verdict is not ok." type="verdict">The verdict is not ok.</failure></testcase>
      </testsuite>
    </testsuites>
    "
  `)
  expect(toJUnit([CARD, { ...CARD, session: 'b' }])).toContain(
    '<testsuites name="price-feed-mock" tests="16" failures="6" errors="0" time="0">',
  )
})

it('behavior: a check that fails by no request of the journal names none', () => {
  const checks: JUnitInput['checks'] = [{ ...CARD.checks[0]!, text: 'None.', requests: [], count: 0 }]
  expect(toJUnit([{ ...CARD, checks }])).toContain('<failure message="None." type="key-form">None.</failure>')
})

it('behavior: no session', () => {
  expect(toJUnit([])).toBe(
    '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="price-feed-mock" tests="0" failures="0" errors="0" time="0">\n</testsuites>\n',
  )
})

it('default: counts and times are sums', () => {
  const cases = [
    { name: 'a', seconds: 1.2345 },
    { name: 'b', seconds: 2, failure: { type: 'find', message: 'M "1"', text: 'M\n\u001b[31mred' }, output: 'O' },
    { name: 'c', skipped: 'S' },
  ]
  expect(
    toJUnitDocument({ name: 'n', classname: 'k', properties: { seed: '42', runs: 3 }, cases }),
  ).toMatchInlineSnapshot(`
    "<?xml version="1.0" encoding="UTF-8"?>
    <testsuites name="price-feed-mock" tests="3" failures="1" errors="0" time="3.234">
      <testsuite name="n" tests="3" failures="1" errors="0" skipped="1" time="3.234">
        <properties>
          <property name="seed" value="42"/>
          <property name="runs" value="3"/>
        </properties>
        <testcase classname="k" name="a" time="1.235"/>
        <testcase classname="k" name="b" time="2"><failure message="M &quot;1&quot;" type="find">M&#10;�[31mred</failure><system-out>O</system-out></testcase>
        <testcase classname="k" name="c" time="0"><skipped message="S"/></testcase>
      </testsuite>
    </testsuites>
    "
  `)
})

it.each([
  ['a<b>&"c"', 'a&lt;b&gt;&amp;&quot;c&quot;'],
  [']]>', ']]&gt;'],
  ['a\nb\tc\rd', 'a&#10;b&#9;c&#13;d'],
  ['\u0000\u001b\ufffe\uffff', '\ufffd\ufffd\ufffd\ufffd'],
  ['\ud800 \udc00', '\ufffd \ufffd'],
  ['é 漢 😀', 'é 漢 😀'],
])('args: %j is escaped', (text, escaped) => expect(escapeXml(text)).toBe(escaped))
