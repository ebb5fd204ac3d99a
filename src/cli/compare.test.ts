// `compare` with a limit of a few requests: the lines that it prints and the files that it writes.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { runPlainCommand } from '../../test/cli/plain-command.js'
import { createFolder } from '../../test/support/folder.js'
import { startMock } from '../../test/support/listen.js'
import { parseJUnit } from '../../test/support/parse-junit.js'

const KEY = 'live-4242'
const SHORT_KEY = 'price'
const folder = createFolder()
const read = (file: string): string => readFileSync(join(folder, file), 'utf8')

const clock = { at: '2025-07-24T10:48:25Z', frozen: true }
const service = await startMock({ clock, apiKeys: [KEY, SHORT_KEY] }, afterAll)

async function compare(flags: string, baseUrl = service.url, key = KEY) {
  const args = ['compare', '--base-url', baseUrl, ...flags.split(' ')]
  const environment = { PRICE_FEED_API_KEY: key }
  const { stdout, stderr, exit } = await runPlainCommand({ args, environment }, folder)
  const shown = (text: string): string => text.replaceAll(service.url, '<url>').replace(/(?<=reached: ).*/, '…')
  return { stdout: shown(stdout), stderr: shown(stderr), exit }
}

it('default: rows, a configuration, a profile and a JUnit file', async () => {
  const { stdout, stderr, exit } = await compare(
    '--max-requests 3 --junit rows.xml --out config.json --profile profile.json',
  )
  expect(`${stdout}\n${stderr}\n[${exit}]`).toMatchInlineSnapshot(`
    "same     feeds; reply of latest; expo; caching and date; headers of rate limits; signed bytes, svm
    not asked, because the limit of 3 requests is reached: …

    price-feed-mock: asking <url>: at most 3 requests, one after the other, in less than two minutes.
    price-feed-mock: 3 requests: 6 of 34 rows are the same, 28 not asked.
    price-feed-mock: the configuration is in config.json.
    price-feed-mock: the profile is in profile.json.
    price-feed-mock: the JUnit file is in rows.xml.

    [1]"
  `)
  expect(read('config.json')).toBe('{}\n')
  expect(JSON.parse(read('profile.json'))).toMatchObject({
    feeds: ['BTCUSD', 'ETHUSD', 'SOLUSD'],
    seen: { expo: { BTCUSD: -8, ETHUSD: -8, SOLUSD: -8 } },
  })
  const { cases, failures, skipped } = parseJUnit(read('rows.xml'))
  expect([cases.length - skipped, failures]).toEqual([6, 0])
  expect(cases.slice(0, 2)).toEqual([
    { name: 'feeds', failure: undefined, skipped: undefined },
    { name: 'no key, a wrong one', failure: undefined, skipped: 'the limit of 3 requests is reached' },
  ])
})

it('args: --against a profile, of which one value has changed since', async () => {
  await compare('--max-requests 3 --profile old.json')
  const profile = JSON.parse(read('old.json'))
  profile.seen.expo.BTCUSD = KEY
  writeFileSync(join(folder, 'old.json'), JSON.stringify(profile))
  const { stdout, stderr, exit } = await compare('--max-requests 3 --against old.json --junit rows.xml')
  expect(`${stdout}\n${stderr}\n[${exit}]`).toMatchInlineSnapshot(`
    "differs  expo
               BTCUSD: recorded (not shown), now -8
    same     feeds; reply of latest; caching and date; headers of rate limits; signed bytes, svm
    not asked, because the limit of 3 requests is reached: …

    price-feed-mock: asking <url>: at most 3 requests, one after the other, in less than two minutes.
    price-feed-mock: 3 requests: 5 of 34 rows are the same, 1 differs, 28 not asked.
    price-feed-mock: the JUnit file is in rows.xml.

    [1]"
  `)
  expect(parseJUnit(read('rows.xml')).cases.filter(({ failure }) => failure)).toMatchInlineSnapshot(`
    [
      {
        "failure": "differs  expo
               BTCUSD: recorded (not shown), now -8",
        "name": "expo",
        "skipped": undefined,
      },
    ]
  `)
})

it('behavior: a short key is no part of other words', async () => {
  const { stderr } = await compare('--max-requests 3 --profile short.json', service.url, SHORT_KEY)
  expect(stderr).toContain('at most 3 requests')
  expect(JSON.parse(read('short.json')).seen['reply of latest']).toMatch(/^\{ feedId: text, price: integer, /)
})

it('args: --dry-run prints the requests, and sends none', async () => {
  const { stdout, stderr, exit } = await compare(
    '--dry-run --history-url https://history.example/ --feeds BTCUSD',
    'https://api.example/v1/',
  )
  const lines = stdout.trimEnd().split('\n')
  expect([exit, stderr]).toEqual([
    '0',
    `price-feed-mock: ${lines.length} requests; up to 50 more where a limit differs, never more than 200.\n`,
  ])
  expect(lines.slice(0, 2)).toEqual([
    'GET https://api.example/v1/prices/BTCUSD/latest',
    'GET https://api.example/v1/prices/batch?feedIds=BTCUSD (key: none)',
  ])
  expect(lines.filter(line => line.includes('https://history.example/charting/'))).not.toEqual([])
  const [long] = lines.filter(line => line.includes('characters'))
  expect(long).toMatch(/^GET https:\/\/api\.example\/v1\/prices\/.{152}… \(\d+ characters\)$/)
})

it('error: a service that does not answer', async () => {
  const { stderr, exit } = await compare('--feeds BTCUSD', 'http://127.0.0.1:1')
  expect([exit, stderr]).toEqual([
    '2',
    expect.stringMatching(/\nNoReplyError: GET [\s\S]*\n {2}fix {3}check --base-url/),
  ])
})

it('error: a service that cannot be asked for the first price of each feed', async () => {
  const { stdout, stderr, exit } = await compare('--max-requests 2')
  expect(`${stdout}\n${stderr}\n[${exit}]`).toMatchInlineSnapshot(`
    "
    price-feed-mock: asking <url>: at most 2 requests, one after the other, in less than two minutes.
    ServiceRefusedError: the limit of 2 requests is reached.
      fix   raise --max-requests
      code  SERVICE_REFUSED

    [2]"
  `)
})
