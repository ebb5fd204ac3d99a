// A tape in process: byte-equal to the replies of a mock whose clock stands at each second, with the bytes that chains take.
import { execFileSync } from 'node:child_process'
import { existsSync, lstatSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createFolder } from '../../test/support/folder.js'
import { missingProgram, needs } from '../../test/support/needs.js'
import { encodeCalldata } from '../chain/calldata.js'
import { encodeInstruction } from '../chain/instruction.js'
import { FAULTS } from '../faults/index.js'
import { createMock, type MockOptions } from '../index.js'
import { createEncoder } from '../signing/encode.js'
import { LAYOUTS, parseExact, testSigners, verify } from '../signing/verify.js'
import { SOLIDITY } from './solidity-tape.js'
import { createTape, type TapeTick, toTapeSettings, writeTape } from './tape.js'

const AT = 1_753_354_105
const FEEDS = ['BTCUSD', 'ETHUSD', 'EURUSD']
const SIGNER = testSigners()[0]!.address
const folder = createFolder()

const mockOf = (options: MockOptions = {}) => createMock({ clock: { at: AT }, startedAt: 0, ...options } as never)
const faulty = (...faults: object[]): MockOptions => ({ scenario: { title: 'T', why: 'W', faults } as never })

/** The ticks of one feed, a second apart. */
function ticksOf(layout: 'svm' | 'evm', options?: MockOptions, seconds = 3, feed = 'BTCUSD'): TapeTick[] {
  const tickOf = createTape(mockOf(options), { feeds: [feed], layout })
  return Array.from({ length: seconds }, (_, second) => tickOf(feed, second))
}

/** The body of a mock whose clock stands still. */
function bodyAt(second: number, target: string, options: MockOptions = {}): string {
  const mock = createMock({ ...options, clock: { at: second, frozen: true } } as never)
  const { outcome } = mock.serve({ method: 'GET', target, authorization: 'test-api-key', receivedAt: 0 })!
  return 'body' in outcome ? outcome.body : ''
}

describe('createTape', () => {
  it.each(['svm', 'evm'] as const)('default: %s ticks are the replies of each second', layout => {
    for (const feed of FEEDS) {
      const ticks = ticksOf(layout, {}, 3, feed)
      expect(ticks.map(({ now }) => now)).toEqual([AT, AT + 1, AT + 2])
      for (const { now, body, ...tick } of ticks) {
        expect(body).toBe(
          bodyAt(now, layout === 'svm' ? `/prices/${feed}/latest` : `/prices/evm/crypto?feedIds=${feed}`),
        )
        expect(tick).toMatchObject({ asked: feed, feedId: feed, status: 200, faults: [], reasons: [], signer: SIGNER })
        expect(verify(parseExact(body), { signers: [tick.signer!] })).toHaveLength(1)
      }
    }
  })

  it('behavior: message, digest, signature and recovery id are those of the reply', () => {
    for (const layout of ['svm', 'evm'] as const)
      for (const { body, message, digest, signature, recoveryId, ...tick } of ticksOf(layout)) {
        const { encode, digest: hash } = createEncoder(LAYOUTS[layout])
        const bytes = encode([tick as never])
        expect(message).toBe(`0x${bytesToHex(bytes)}`)
        expect(digest).toBe(`0x${bytesToHex(hash(bytes))}`)
        expect(body).toContain(`"signature":"${signature!.slice(2)}"`)
        if (layout === 'svm') {
          expect(body).toContain(`"recoveryId":${recoveryId}}`)
          const data = encodeInstruction({
            message: bytes,
            rs: signature!.slice(2),
            recoveryId: recoveryId!,
            address: SIGNER,
          })
          expect(tick.instructionData).toBe(`0x${bytesToHex(data)}`)
          expect(tick.calldata).toBeUndefined()
        } else {
          expect(signature!.slice(-2)).toBe((27 + recoveryId!).toString(16))
          expect(tick.calldata).toBe(`0x${bytesToHex(encodeCalldata(tick as never, signature!.slice(2)))}`)
          expect(tick.instructionData).toBeUndefined()
        }
      }
  })

  it.each([
    ['signature/wrong-signer', 'svm', ['wrong-signer'], testSigners()[1]!.address],
    ['signature/high-s', 'evm', ['high-s'], SIGNER],
    ['signature/other-feed', 'svm', ['wrong-feed', 'missing-feed'], SIGNER],
    ['tick/negative', 'evm', ['negative-price'], SIGNER],
    ['signature/all-zero', 'svm', ['zero'], null],
    ['tick/ts-skew', 'svm', [], SIGNER],
  ] as const)('behavior: with %s on %s, the reasons and the key that signed', (fault, layout, reasons, signer) => {
    const [tick] = ticksOf(layout, faulty({ fault }))
    expect(tick).toMatchObject({ faults: [fault], reasons, signer })
    const bytes = layout === 'svm' ? tick!.instructionData : tick!.calldata
    // A chain must have something to reject.
    expect(bytes).toContain(tick!.signature!.slice(2, 130))
  })

  it('behavior: a layout of your own: the instruction has the bytes that are hashed, where its program hashes so', () => {
    const tickOf = (change: object) => {
      const layout = { ...LAYOUTS.svm, ...change } as never
      return ticksOf('svm', { signing: { svm: 'mine', layouts: { mine: layout } } })[0]!
    }
    const { message, digest, instructionData } = tickOf({ prefix: 'beef' })
    expect(instructionData!.slice(2 + 2 * 97)).toBe(`beef${message!.slice(2)}`)
    expect(digest).toBe(`0x${bytesToHex(keccak_256(hexToBytes(instructionData!.slice(2 + 2 * 97))))}`)
    expect(tickOf({ digest: 'sha256' }).instructionData).toBeUndefined()
  })

  it('behavior: a price above 2^53 keeps its digits', () => {
    const [tick] = ticksOf('svm', faulty({ fault: 'tick/unsafe-integer' }))
    expect(tick).toMatchObject({ price: 9007199254740993n, reasons: [] })
  })

  it('behavior: replies without a price, and no reply', () => {
    const faults = [
      { fault: 'reply/status', for: '1s' },
      { fault: 'wire/reset', from: '1s', for: '1s' },
      { fault: 'reply/malformed-json', from: '2s', for: '1s' },
      { fault: 'signature/truncated', from: '3s', for: '1s' },
    ]
    const ticks = ticksOf('svm', faulty(...faults), 5)
    expect(ticks.map(({ status, reasons }) => [status, reasons])).toEqual([
      [503, ['missing-feed']],
      [0, ['missing-feed']],
      [200, ['malformed']],
      [200, ['wrong-length']],
      [200, []],
    ])
    expect(ticks[0]).not.toHaveProperty('message')
    expect(ticks[1]).toHaveProperty('body', '')
    expect(ticks[3]).not.toHaveProperty('instructionData')
  })

  it('behavior: a scenario counts requests as it does on a server', () => {
    const ticks = ticksOf('svm', faulty({ fault: 'tick/zero', requests: { every: 2 } }), 4)
    expect(ticks.map(({ price }) => price === 0)).toEqual([false, true, false, true])
  })

  it.each([{ speed: 60 }, { frozen: true }])('behavior: a scenario with the clock %j has a tick a second', clock => {
    const ticks = ticksOf('svm', { scenario: { title: 'T', why: 'W', clock, faults: [] } as never })
    expect(ticks.map(({ now }) => now)).toEqual([AT, AT + 1, AT + 2])
  })
})

it.each(['svm', 'evm'] as const)('behavior: of the signature faults only 0x-prefix keeps the %s bytes', layout => {
  const [calm] = ticksOf(layout, {}, 1)
  const bytesOf = ({ message, signature, recoveryId, instructionData, calldata }: TapeTick) =>
    JSON.stringify([message, signature, recoveryId, instructionData, calldata])
  const unseen = FAULTS.filter(({ name }) => name.startsWith('signature/')).filter(({ name }) => {
    const [tick] = ticksOf(layout, faulty({ fault: name }), 1)
    return tick!.faults.length > 0 && bytesOf(tick!) === bytesOf(calm!)
  })
  expect(unseen.map(({ name }) => name)).toEqual(['signature/0x-prefix'])
  const [tick] = ticksOf(layout, faulty({ fault: 'signature/0x-prefix' }), 1)
  expect(tick!.reasons).toEqual(['0x-prefix'])
})

it('behavior: a truncated body ends where it is cut, and has no bytes', () => {
  const [tick] = ticksOf('svm', faulty({ fault: 'wire/truncate' }), 1)
  const [calm] = ticksOf('svm', {}, 1)
  expect(tick).toMatchObject({ body: calm!.body.slice(0, Math.floor(calm!.body.length / 2)), reasons: ['malformed'] })
  expect(tick).not.toHaveProperty('signature')
})

it('behavior: a library finds the constant of a tick', () => {
  expect(SOLIDITY.tail(70)).toContain(`{
        if (n == 0) return chunk0();
        if (n == 1) return chunk1();
        return chunk2();
    }`)
})

describe('writeTape', () => {
  const write = async (flags: Parameters<typeof toTapeSettings>[0]) => {
    const output = { stdout: '', stderr: '' }
    await writeTape(mockOf(), toTapeSettings({ feeds: FEEDS, for: '5s', ...flags }), {
      print: text => void (output.stdout += text),
      report: text => void (output.stderr += text),
    })
    return output
  }

  it('default: one document on standard output, in the order of time and feeds', async () => {
    const { stdout, stderr } = await write({ every: '2s' })
    const { ticks, ...head } = JSON.parse(stdout)
    expect(head).toMatchObject({
      seed: '42',
      at: '2025-07-24T10:48:25Z',
      seconds: 5,
      every: 2,
      feeds: FEEDS,
      signer: SIGNER,
    })
    expect(ticks.map(({ now, asked }: TapeTick) => `${now - AT} ${asked}`)).toEqual(
      [0, 2, 4].flatMap(second => FEEDS.map(feed => `${second} ${feed}`)),
    )
    expect(stderr).toBe('price-feed-mock: 9 ticks in standard output\n')
  })

  it('behavior: a reader that is slow leaves no listener either', async () => {
    const { stdout } = process
    const count = () => ['drain', 'close', 'error'].map(event => stdout.listenerCount(event))
    const before = count()
    Object.defineProperty(stdout, 'writableNeedDrain', { value: true, configurable: true })
    onTestFinished(() => void Reflect.deleteProperty(stdout, 'writableNeedDrain'))
    const print = () => void setImmediate(() => stdout.emit('drain'))
    await writeTape(mockOf(), toTapeSettings({ feeds: FEEDS, for: '5m' }), { print, report: () => {} })
    expect(count()).toEqual(before)
  })

  it('args: feeds: each feed once, as it is spelled first', async () => {
    const { stdout } = await write({ feeds: ['btcusd', 'ETHUSD', 'BTCUSD'], for: '2s' })
    const { feeds, ticks } = JSON.parse(stdout)
    expect(feeds).toEqual(['btcusd', 'ETHUSD'])
    expect(ticks.map(({ asked }: TapeTick) => asked)).toEqual(['btcusd', 'ETHUSD', 'btcusd', 'ETHUSD'])
  })

  it.each([
    ['stale-btc', 'stale-btc'],
    [{ title: 'T', why: 'W', faults: [] }, 'inline'],
  ])('behavior: the head names the scenario %j as the admin does, beside its title', async (scenario, name) => {
    const mock = mockOf({ scenario } as never)
    let text = ''
    await writeTape(mock, toTapeSettings({ feeds: ['BTCUSD'], for: '1s' }), {
      print: piece => void (text += piece),
      report: () => {},
    })
    expect(JSON.parse(text)).toMatchObject({ scenario: name, title: mock.scenarios.get(scenario as never).title })
  })

  it('behavior: one tick is one', async () => {
    const { stdout, stderr } = await write({ every: '30s', feeds: [FEEDS[0]!] })
    expect(JSON.parse(stdout).ticks).toHaveLength(1)
    expect(stderr).toBe('price-feed-mock: 1 tick in standard output\n')
  })

  it('args: ndjson: a line for each tick, the same ticks', async () => {
    const { stdout } = await write({ format: 'ndjson', out: '-' })
    const lines = stdout.trimEnd().split('\n')
    expect(lines.map(line => JSON.parse(line))).toEqual(JSON.parse((await write({})).stdout).ticks)
  })

  it('args: sol: a library with a record of each tick, good, bad or without bytes', async () => {
    const faults = [
      { fault: 'tick/negative', from: '1s', for: '1s' },
      { fault: 'signature/truncated', from: '2s', for: '1s' },
      { fault: 'wire/reset', from: '3s', for: '1s' },
    ]
    const write = async (format: 'sol' | 'ndjson'): Promise<string> => {
      let text = ''
      const settings = toTapeSettings({ feeds: ['BTCUSD'], for: '40s', layout: 'evm', format })
      const output = { print: (piece: string) => void (text += piece), report: () => {} }
      await writeTape(mockOf(faulty(...faults)), settings, output)
      return text
    }
    const [library, lines] = [await write('sol'), (await write('ndjson')).trimEnd().split('\n')]
    expect(library).toContain(`address(bytes20(hex"${SIGNER.slice(2)}"))`)
    expect(library).toContain('LENGTH = 40;')
    expect(library.match(/function chunk\d\(\)/g)).toHaveLength(2)
    const records = [...library.matchAll(/^ +hex"(\w+)";?$/gm)].map(([, hex]) => hex!)
    expect(records).toHaveLength(40)
    for (const [i, line] of lines.entries()) {
      const { now, price, ts, feedId, signature = '0x', reasons } = JSON.parse(line) as TapeTick
      const parts = /^(.{48})(.{8})(.{8})(.{64})(.{130})(..)(..)(.{8})$/.exec(records[i]!)!.slice(1)
      const [value, second, time, id, bytes, length, isGood, expo] = parts as [string, ...string[]]
      expect(Number(`0x${time}`)).toBe(now)
      expect(bytes!.slice(0, 2 * Number(`0x${length}`))).toBe(signature.slice(2))
      expect(isGood).toBe(reasons.length === 0 ? '01' : '00')
      if (i === 3) expect(records[i]!.replace(time!, '')).toMatch(/^0+$/)
      else {
        expect(BigInt.asIntN(192, BigInt(`0x${value}`))).toBe(BigInt(price!))
        expect([Number(`0x${second}`), Buffer.from(id!, 'hex').toString().replaceAll('\0', '')]).toEqual([ts, feedId])
        expect(expo).toBe('fffffff8')
      }
    }
  })

  it('error: a library of the other form', () => {
    expect(() => toTapeSettings({ feeds: FEEDS, format: 'sol', layout: 'svm' })).toThrow(
      expect.objectContaining({ problems: [{ at: '--layout', got: 'svm', want: 'evm with --format sol' }] }),
    )
  })

  it('args: out: the file appears when it is complete', async () => {
    const out = join(folder, 'tape.json')
    const { stdout, stderr } = await write({ out })
    expect(stdout).toBe('')
    expect(stderr).toBe(`price-feed-mock: 15 ticks in ${out}\n`)
    expect(JSON.parse(readFileSync(out, 'utf8')).ticks).toHaveLength(15)
    expect(existsSync(`${out}.part`)).toBe(false)
  })

  it('behavior: it is written in pieces, with progress on standard error', async () => {
    const pieces: number[] = []
    let stderr = ''
    const settings = toTapeSettings({ feeds: FEEDS, for: '100s' })
    await writeTape(
      mockOf(),
      settings,
      { print: text => void pieces.push(text.length), report: text => void (stderr += text) },
      100,
    )
    // Nothing is kept: a piece is 64 KB and at most one tick more.
    expect(pieces.length).toBeGreaterThan(4)
    expect(Math.max(...pieces)).toBeLessThan(70_000)
    expect(stderr.split('\n').slice(0, 3)).toEqual([
      'price-feed-mock: 100 of 300 ticks',
      'price-feed-mock: 200 of 300 ticks',
      'price-feed-mock: 300 ticks in standard output',
    ])
  })

  it('error: an end beyond the years of the clock', async () => {
    const mock = mockOf({ clock: { at: '2105-12-31T23:59:58Z' } })
    const output = { print: () => {}, report: () => {} }
    await writeTape(mock, toTapeSettings({ feeds: FEEDS, for: '2s' }), output)
    const mockAgain = mockOf({ clock: { at: '2105-12-31T23:59:58Z' } })
    await expect(writeTape(mockAgain, toTapeSettings({ feeds: FEEDS, for: '3s' }), output)).rejects.toMatchObject({
      code: 'OPTIONS_INVALID',
      problems: [expect.objectContaining({ at: '--for', got: '3 s' })],
    })
  })

  it('args: out: the file behind a link is replaced, not the link', async () => {
    const [out, link] = [join(folder, 'real.json'), join(folder, 'link.json')]
    writeFileSync(out, 'before')
    symlinkSync(out, link)
    await write({ out: link })
    expect(lstatSync(link).isSymbolicLink()).toBe(true)
    expect(JSON.parse(readFileSync(out, 'utf8')).ticks).toHaveLength(15)
  })

  it('args: out: a pipe stays one, and gets the same text', needs(missingProgram('mkfifo')), async () => {
    const out = join(folder, 'pipe')
    execFileSync('mkfifo', [out])
    const read = readFile(out, 'utf8')
    await write({ out })
    expect(await read).toBe((await write({})).stdout)
    expect(lstatSync(out).isFIFO()).toBe(true)
    expect(existsSync(`${out}.part`)).toBe(false)
  })

  it('error: a folder, before the first tick', async () => {
    await expect(write({ out: folder })).rejects.toThrow(`${folder} cannot be written: it is a folder.`)
    expect(existsSync(`${folder}.part`)).toBe(false)
  })

  it('error: a folder that does not exist', async () => {
    await expect(write({ out: join(folder, 'nowhere', 'tape.json') })).rejects.toMatchObject({
      code: 'FILE_UNWRITABLE',
      shortMessage: expect.stringContaining(`: there is no folder ${join(folder, 'nowhere')}.`),
    })
  })
})
