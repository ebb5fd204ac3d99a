// A transcript: what a user types and what the program answers, as one text that is read, replayed and compared.
//
//   # a remark
//   file feeds.json              a file of the working folder, its text indented by two blanks
//     { "feeds": [] }
//   $ NAME=value price-feed-mock --port x      a command line, for a POSIX shell
//   | a line of stdout
//   ! a line of stderr
//   [2]                          the exit code, or the signal that ended it
//   $ price-feed-mock --port 0 & in the background; the next lines wait for its first line of stdout
//   > GET /prices/BTCUSD/latest Authorization: test-api-key      asks it
//   < 200                        and is answered
//   $ kill -INT                  ends the last one in the background; what it has printed follows
//
// What differs from run to run, or from release to release, stands as `<port>`, `<port 2>`, `<folder>`, `<now>`, `<ms>`,
// `<version>`; ports may stand in commands.
import { VERSION } from '../../src/version.js'
import type { Finished, Running, Shell } from './shell.js'

/** Replays a transcript and returns it as it reads now. */
export async function replay(source: string, shell: Shell): Promise<string> {
  const { hide, fill } = createPlaceholders(shell.folder)
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
      const started = await shell.start(fill(rest.slice(0, -2)))
      hide(started.firstLine)
      running.push(started)
    } else if (kind === '$') {
      written.push(...print(await shell.run(fill(rest))))
    } else if (kind === '>') {
      written.push(`< ${await ask(running.at(-1)!.firstLine, rest)}`)
    } else if (line !== '' && !line.startsWith('#')) {
      throw new Error(`Line ${i + 1} of the transcript is none of its forms: ${line}`)
    }
  }
  return written.join('\n')
}

const isAnswer = (line: string): boolean => /^([|!<]( |$)|\[\w+\]$)/.test(line)

function prefixed(mark: string, text: string): string[] {
  if (text === '') return []
  const lines = text.split('\n')
  const last = lines.pop()
  // A last line without its end is a fact worth seeing.
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

/** The one place that knows what differs from run to run. */
function createPlaceholders(folder: string) {
  const ports: string[] = []
  const nameOf = (port: string): string => {
    if (!ports.includes(port)) ports.push(port)
    const index = ports.indexOf(port)
    return index === 0 ? '<port>' : `<port ${index + 1}>`
  }
  return {
    fill: (command: string): string => command.replace(/<port(?: (\d+))?>/g, (_, nth = '1') => ports[Number(nth) - 1]!),
    hide: (text: string): string =>
      text
        .replaceAll(folder, '<folder>')
        .replace(OWN_VERSION, '<version>')
        .replace(/(?<=127\.0\.0\.1:|localhost:|\[::1\]:|\bPort )[1-9]\d*/g, nameOf)
        .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, at => (isPresent(at) ? '<now>' : at))
        .replace(/("(?:receivedAt|durationMs)":)[\d.]+/g, '$1<ms>')
        .replace(/\b\d+\.\dms\b/g, '<ms>')
        // Columns are as wide as what stood there.
        .replace(/(?<=<(?:port|now)[^\n]*\S) {2,}/g, '  '),
  }
}

const OWN_VERSION = new RegExp(`(?<![\\d.])${VERSION.replaceAll('.', '\\.')}(?![\\d.])`, 'g')

const isPresent = (at: string): boolean => Math.abs(Date.parse(at) - Date.now()) < 3_600_000
