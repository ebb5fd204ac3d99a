// A transcript: the input of a user and the output of the program, as one text that is replayed and compared.
//
//   # a remark
//   file feeds.json              a file in the working folder, its content indented by two blanks
//     { "feeds": [] }
//   $ NAME=value price-feed-mock --port x      a command line of a POSIX shell
//   | a line of stdout
//   ! a line of stderr
//   [2]                          the exit code, or the signal that ended the command
//   $ price-feed-mock --port 0 & a command in the background; replay goes on after its first line of stdout
//   > GET /prices/BTCUSD/latest Authorization: test-api-key      a request to it
//   < 200                        the status of the reply
//   $ kill -INT                  ends the last command in the background; its output follows
//
// Values that differ between runs or releases are replaced by `<port>`, `<port 2>`, `<folder>`, `<package>`, `<now>`, `<ms>`, `<version>`,
// `<feeds>`, `<endpoints>`. A command can contain ports. Outside serve.txt, `<banner>` replaces the lines of a start without options.
//
// Commands run in this process unless they need a shell or the streams of a process, which saves a hundred processes.
import { fileURLToPath } from 'node:url'
import { ENDPOINTS } from '../../src/endpoints/index.js'
import { CATALOGUE } from '../../src/market/catalogue.js'
import { VERSION } from '../../src/version.js'
import { parsePlainCommand, runPlainCommand, startPlainCommand } from './plain-command.js'
import type { Finished, Running, Shell } from './shell.js'

/** Replays a transcript and returns its present form, with whole banners if they are its subject. */
export async function replay(source: string, shell: Shell, hasBanners: boolean): Promise<string> {
  const { hide: hideValues, fill, forgetPorts } = createPlaceholders(shell.folder)
  const hide = (text: string): string => (hasBanners ? hideValues(text) : hideBanner(hideValues(text)))
  const running: Running[] = []
  const print = ({ stdout, stderr, exit }: Finished): string[] => [
    ...prefixed('|', hide(stdout)),
    ...prefixed('!', hide(stderr)),
    `[${exit}]`,
  ]

  const lines = source.split('\n')
  const written: string[] = []
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i]!
    if (isAnswer(line)) continue
    written.push(line)
    const [, kind, rest = ''] = /^(\$ kill -|\$|>|file) ?(.*)$/.exec(line) ?? []
    // The system may give the port of a server that has ended to the next one.
    if (kind === '$' && running.length === 0 && !rest.includes('<port')) forgetPorts()
    if (kind === 'file') {
      const first = i + 1
      while (lines[i + 1]?.startsWith('  ')) written.push(lines[++i]!)
      shell.write(
        rest,
        lines
          .slice(first, i + 1)
          .map(text => `${text.slice(2)}\n`)
          .join(''),
      )
    } else if (kind === '$ kill -') {
      written.push(...print(await running.pop()!.kill(`SIG${rest}` as NodeJS.Signals)))
    } else if (kind === '$' && rest.endsWith(' &')) {
      const command = fill(rest.slice(0, -2))
      const plain = parsePlainCommand(command)
      const started = await (plain ? startPlainCommand(plain, shell.folder) : shell.start(command))
      hide(started.firstLine)
      running.push(started)
    } else if (kind === '$') {
      written.push(...print(await runLine(fill(rest), shell)))
    } else if (kind === '>') {
      written.push(`< ${await ask(running.at(-1)!.firstLine, rest)}`)
    } else if (line !== '' && !line.startsWith('#')) {
      throw new Error(`Line ${i + 1} of the transcript is not valid: ${line}`)
    }
  }
  return written.join('\n')
}

/** Runs the commands of a line one after the other until one fails. What shares more with the next one is for a shell as a whole. */
async function runLine(line: string, shell: Shell): Promise<Finished> {
  const all = { stdout: '', stderr: '', exit: '0' }
  for (const each of /[$;|]/.test(line) ? [line] : line.split(' && ')) {
    const [, command = each, file] = /^(.*) > ([\w.]+)$/.exec(each) ?? []
    const plain = parsePlainCommand(command)
    const { stdout, stderr, exit } = await (plain ? runPlainCommand(plain, shell.folder) : shell.run(each))
    if (plain && file) shell.write(file, stdout)
    else all.stdout += stdout
    all.stderr += stderr
    all.exit = exit
    if (exit !== '0') break
  }
  return all
}

const isAnswer = (line: string): boolean => /^([|!<]( |$)|\[\w+\]$)/.test(line)

function prefixed(mark: string, text: string): string[] {
  if (text === '') return []
  const lines = text.split('\n')
  const last = lines.pop()
  // A missing end of line is shown.
  return [...lines, ...(last === '' ? [] : [`${last}<no end of line>`])].map(line => `${mark} ${line}`.trimEnd())
}

/** `GET /path` or `GET /path Name: value`. */
async function ask(firstLine: string, request: string): Promise<number> {
  const [, method, path, name, value] = /^(\S+) (\S+)(?: ([\w-]+): (.*))?$/.exec(request)!
  const url = firstLine.startsWith('{') ? (JSON.parse(firstLine) as { url: string }).url : firstLine
  const reply = await fetch(url + path, { method: method!, headers: name === undefined ? {} : { [name]: value! } })
  await reply.arrayBuffer()
  return reply.status
}

/** Replaces the values that differ between runs. */
function createPlaceholders(folder: string) {
  const ports: string[] = []
  let firstKnown = 0
  const nameOf = (port: string): string => {
    const known = ports.indexOf(port, firstKnown)
    const number = known < 0 ? ports.push(port) : known + 1
    return number === 1 ? '<port>' : `<port ${number}>`
  }
  return {
    forgetPorts(): void {
      firstKnown = ports.length
    },
    fill: (command: string): string => command.replace(/<port(?: (\d+))?>/g, (_, nth = '1') => ports[Number(nth) - 1]!),
    hide: (text: string): string =>
      text
        .replaceAll(folder, '<folder>')
        .replaceAll(PACKAGE, '<package>')
        .replace(OWN_VERSION, '<version>')
        .replace(/(?<=127\.0\.0\.1:|localhost:|\[::1\]:|\bPort )[1-9]\d*/g, nameOf)
        .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, at => (isPresent(at) ? '<now>' : at))
        .replace(/("(?:receivedAt|durationMs)":)[\d.]+/g, '$1<ms>')
        .replace(/\b\d+\.\dms\b/g, '<ms>')
        .replaceAll(ENDPOINTS.map(({ name }) => name).join(', '), '<endpoints>')
        .replace(/(?<=^ {2}feeds {6}|"feeds":)\d+/gm, hideFeeds)
        // The width of columns depends on the replaced values.
        .replace(/(?<=<(?:port|now|feeds)[^\n]*\S) {2,}/g, '  '),
  }
}

/** The number of feeds, as a sum with the size of the catalogue. */
function hideFeeds(count: string): string {
  const others = Number(count) - CATALOGUE.length
  return others < 0 ? count : others === 0 ? '<feeds>' : `<feeds + ${others}>`
}

/** The lines of the banner of a start without options, each with its value. */
const PLAIN_LINES = [
  /^url {2}http:\/\/127\.0\.0\.1:<port[^>]*> {2}\(console at \/_mock\/\)$/,
  /^api key {2}test-api-key {2}/,
  /^seed {2}42 {2}/,
  /^clock {2}<now> {2}\(/,
  /^scenario {2}calm {2}.* \(--scenario\)$/,
  /^feeds {2}<feeds>: /,
  /^signer {2}\S+ {2}test key 0 \(--signer\)$/,
  /^try {2}curl -H "Authorization: test-api-key" http:\/\/127\.0\.0\.1:<port[^>]*>\/prices\/BTCUSD\/latest$/,
  /^reproduce {2}npx price-feed-mock --seed 42 --at <now>$/,
]

/** Leaves of a banner only the lines that differ from those of a start without options. */
function hideBanner(text: string): string {
  return text.replace(/^price-feed-mock <version> — .*\n\n((?: {2}\S.*\n)+)/m, (_, banner: string) =>
    banner
      .split(/(?<=\n)/)
      .filter(line => !PLAIN_LINES.some(plain => plain.test(line.trim().replace(/ {2,}/g, '  '))))
      .reduce((kept, line) => kept + line, '<banner>\n'),
  )
}

const PACKAGE = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '')
const OWN_VERSION = new RegExp(`(?<![\\d.])${VERSION.replaceAll('.', '\\.')}(?![\\d.])`, 'g')

const isPresent = (at: string): boolean => Math.abs(Date.parse(at) - Date.now()) < 3_600_000
