// Runs a consumer, correct or with a bug, under a scenario.
import { readFileSync } from 'node:fs'
import { transformWithOxc } from 'vite'
import { createMock, type Mock } from '../../src/index.js'
import { KINDS as IN_TYPESCRIPT, type Kind } from './kinds.js'
import { observe } from './observe.js'
import { PORTFOLIO } from './portfolio.js'
import { toPythonModule } from './python.js'
import { createWorld, type Seen } from './world.js'

/** A bug: a change of at most five lines of a correct consumer. */
export interface Bug {
  readonly name: string
  readonly consumer: string
  /** Where it happened, or `classic`. */
  readonly source: string
  /** The line, or lines, that it changes, and what is there instead. */
  readonly line: string
  readonly instead: string
  /** The invariant that it breaks. */
  readonly breaks: string
}

/** All kinds of consumers. */
export const KINDS: readonly Kind[] = [...IN_TYPESCRIPT, PORTFOLIO]

const KEY = 'test-api-key'
const AT = Date.UTC(2025, 6, 24, 10, 48, 25)
const folder = new URL('./consumers/', import.meta.url)
const modules = new Map<string, Promise<object>>()

/** The exports of a consumer with a bug, or without one. */
export function load(consumer: string, bug?: Bug): Promise<object> {
  const id = `${consumer} ${bug?.name ?? ''}`
  let loaded = modules.get(id)
  if (loaded === undefined) {
    const file = consumer === PORTFOLIO.name ? `${consumer}.py` : `${consumer}.ts`
    const source = readFileSync(new URL(file, folder), 'utf8')
    const parts = bug === undefined ? [source] : source.split(bug.line)
    if (bug !== undefined && parts.length !== 2)
      throw new Error(`${bug.name}: its line is ${parts.length - 1} times in ${file}`)
    const text = bug === undefined ? source : parts.join(bug.instead)
    loaded = file.endsWith('.py') ? Promise.resolve(toPythonModule(text)) : toModule(text)
    modules.set(id, loaded)
  }
  return loaded
}

/** The exports of a source in TypeScript. */
async function toModule(source: string): Promise<object> {
  const { code } = await transformWithOxc(source, 'consumer.ts', { sourcemap: false })
  return import(/* @vite-ignore */ `data:text/javascript;base64,${Buffer.from(code).toString('base64')}`)
}

/** The length of a run, in virtual seconds. */
export const SECONDS = 360

/** A run of a consumer. */
export interface Played {
  /** The invariants that it broke, each with the second of its first time. */
  readonly broken: ReadonlyMap<string, number>
  readonly seen: readonly Seen[]
  /** The replies that each fault changed. */
  readonly hits: readonly number[]
  /** Virtual milliseconds. */
  readonly ms: number
}

/**
 * Runs a consumer under a scenario.
 * @param isDone whether the run may end, from the invariants that are broken so far
 */
export async function play(
  mock: Mock,
  consumer: string,
  scenario: string | object,
  bug?: Bug,
  isDone: (broken: ReadonlyMap<string, number>) => boolean = () => false,
): Promise<Played> {
  const id = 'zoo'
  // A scenario may bring its own clock.
  const session = mock.sessions.create({ id, scenario } as never, AT)
  const signer = session.runtime.signer.address
  const start = session.nowMs(AT)
  const world = createWorld(mock, start, `/session/${id}`, start - AT)
  const { deps, observed } = observe(world, signer)
  const broken = new Map<string, number>()
  const note = (name: string): void => {
    if (!broken.has(name)) broken.set(name, Math.round((world.deps.now() - start) / 1000))
  }
  const kind = KINDS.find(({ name }) => name === consumer)!
  const { run, check, end } = kind.start(await load(consumer, bug), { ...deps, signer, key: KEY }, observed)
  try {
    run.catch(() => note('never breaks'))
    world.watch(1000, () => check().forEach(note))
    await world.run(SECONDS * 1000, () => isDone(broken))
    const { faults } = session.record.counters
    const hits = session.runtime.scenario.faults.map((_, i) => faults[i]?.hits ?? 0)
    const ms = isDone(broken) ? 1000 * Math.max(...broken.values()) : SECONDS * 1000
    return { broken, seen: world.seen.map(one => ({ ...one, at: one.at - start })), hits, ms }
  } finally {
    end?.()
    mock.sessions.delete(id)
  }
}

export const createZooMock = (): Mock =>
  createMock({ clock: { at: new Date(AT).toISOString() as never }, policy: { candles: 60 } })
