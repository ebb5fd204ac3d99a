// JUnit XML: times and the kinds of cases, and characters that XML cannot hold.
import { expect, it } from 'vitest'
import { escapeXml, toJUnitDocument } from './junit-document.js'

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
