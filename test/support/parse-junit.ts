// Reads a JUnit file as CI systems do: well-formed XML, no characters that XML 1.0 forbids, counts that agree with the cases.

/** A case of a JUnit file. */
export interface ParsedCase {
  readonly name: string
  /** The text of its failure. */
  readonly failure: string | undefined
  /** The reason why it was skipped. */
  readonly skipped: string | undefined
}

/** The cases and counts of a JUnit file. Throws if it is not well-formed. */
export function parseJUnit(xml: string) {
  const forbidden = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u.exec(xml)
  if (forbidden) throw new Error(`XML 1.0 has no character ${JSON.stringify(forbidden[0])}`)
  const open: string[] = []
  const cases: { name: string; failure: string | undefined; skipped: string | undefined }[] = []
  let root: Record<string, string> | undefined
  let at = 0
  const token = /<\?xml [^?]*\?>|<(\/?)([a-z-]+)((?: [a-z]+="[^"<]*")*)(\/?)>|[^<]+/gy
  for (let match = token.exec(xml); match !== null; match = token.exec(xml)) {
    at = token.lastIndex
    const [text, isEnd, name = '', attributes = '', isEmpty] = match
    if (name === '') {
      if (open.at(-1) === 'failure') cases.at(-1)!.failure += decode(text)
      continue
    }
    if (isEnd) {
      if (open.pop() !== name) throw new Error(`</${name}> closes another element at ${at}`)
      continue
    }
    const values = Object.fromEntries(
      [...attributes.matchAll(/ ([a-z]+)="([^"]*)"/g)].map(([, key, value]) => [key!, decode(value!)]),
    )
    if (name === 'testsuites') root = values
    if (name === 'testcase') cases.push({ name: values.name!, failure: undefined, skipped: undefined })
    if (name === 'skipped') cases.at(-1)!.skipped = values.message
    if (name === 'failure') cases.at(-1)!.failure = ''
    if (!isEmpty) open.push(name)
  }
  if (at !== xml.length || open.length > 0 || root === undefined) throw new Error(`The XML breaks off at ${at}`)
  const skipped = cases.filter(one => one.skipped !== undefined).length
  const failures = cases.filter(one => one.failure !== undefined).length
  if (Number(root.tests) !== cases.length || Number(root.failures) !== failures) throw new Error('The counts are wrong')
  return { cases: cases as readonly ParsedCase[], tests: cases.length, failures, skipped }
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"' }

function decode(text: string): string {
  return text.replace(/&(?:#(\d+)|([a-z]+));|&/g, (_, code?: string, name?: string) => {
    const found = code === undefined ? ENTITIES[name ?? ''] : String.fromCodePoint(Number(code))
    if (found === undefined) throw new Error(`& is not escaped in ${text.slice(0, 100)}`)
    return found
  })
}
