// The snippets of docs/format.md in Rust and Java: compiled as written, and run on the signing vectors.
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import signing from '../../fixtures/signing-vectors.json' with { type: 'json' }
import { createFolder } from '../support/folder.js'
import { missingProgram, needs } from '../support/needs.js'

const PAGE = readFileSync(new URL('../../docs/format.md', import.meta.url), 'utf8')
const folder = createFolder()

/** The prices of the vectors that JSON has as int64, one for each line of output. */
const VECTORS = signing.vectors.filter(
  ({ layout, prices: [price, ...more] }) => layout === 'svm' && more.length === 0 && Number.isSafeInteger(price!.price),
)
const WANT = VECTORS.map(({ message, prices: [price] }) => `${message} ${toDecimal(price!)}`)

function toDecimal({ price, expo }: { price: number; expo: number }): string {
  const digits = String(Math.abs(price)).padStart(1 - expo, '0')
  const point = digits.length + Math.min(expo, 0)
  const text = expo < 0 ? `${digits.slice(0, point)}.${digits.slice(point)}` : digits + '0'.repeat(expo)
  return price < 0 ? `-${text}` : text
}

function snippet(language: string): string {
  const [, code] = new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(PAGE)!
  return code!
}

function run(file: string, code: string, ...commands: readonly (readonly [string, ...string[]])[]): string[] {
  writeFileSync(join(folder, file), code)
  const outputs = commands.map(([command, ...args]) => execFileSync(command, args, { cwd: folder, encoding: 'utf8' }))
  return outputs.at(-1)!.trimEnd().split('\n')
}

it('behavior: there are prices to decode', () => expect(VECTORS.length).toBeGreaterThan(5))

it('default: Rust', needs(missingProgram('rustc')), () => {
  const lines = VECTORS.map(({ prices: [price] }) => {
    const { feedId, price: value, expo, ts } = price!
    return `  show(Price { feed_id: ${JSON.stringify(feedId)}.into(), price: ${value}, expo: ${expo}, ts: ${ts} });`
  })
  const main = `fn show(price: Price) {
  let hex: String = price.svm_message().unwrap().iter().map(|byte| format!("{byte:02x}")).collect();
  println!("{hex} {}", price.decimal());
}
fn main() {
  assert_eq!(Price { feed_id: "É".into(), price: 1, expo: 0, ts: 0 }.svm_message(), None);
  assert_eq!(Price { feed_id: "A".into(), price: 1, expo: 128, ts: 0 }.svm_message(), None);
  assert_eq!(Price { feed_id: "A".into(), price: 0, expo: 3, ts: 0 }.decimal(), "0");
${lines.join('\n')}
}`
  const compile = ['rustc', '--edition=2021', 'price.rs'] as const
  expect(run('price.rs', snippet('rust') + main, compile, ['./price'])).toEqual(WANT)
})

it('default: Java', needs(missingProgram('javac')), () => {
  const lines = VECTORS.map(({ prices: [price] }) => {
    const { feedId, price: value, expo, ts } = price!
    return `    show(new Price(${JSON.stringify(feedId)}, ${value}L, ${expo}, ${ts}L));`
  })
  const main = `class Main {
  static void show(Price price) {
    String hex = java.util.HexFormat.of().formatHex(price.svmMessage());
    System.out.println(hex + " " + price.value().toPlainString());
  }
  public static void main(String[] args) {
${lines.join('\n')}
  }
}`
  expect(run('Price.java', snippet('java') + main, ['javac', '-Werror', 'Price.java'], ['java', 'Main'])).toEqual(WANT)
})
