// The scenarios of the package as read from their files, and one run of the check of each.
import { readdirSync, readFileSync } from 'node:fs'
import { CHECKS } from './checks.js'
import type { Consumer } from './consumer.js'

/** A scenario file, as far as its tests read it. */
export interface ScenarioFile {
  readonly title: string
  readonly why: string
  readonly loop?: string
  readonly faults: readonly { readonly fault: string; readonly feeds?: readonly string[] }[]
}

const FOLDER = new URL('../../scenarios/', import.meta.url)

/** Every scenario of the package, by name. */
export const FILES: readonly (readonly [name: string, file: ScenarioFile])[] = readdirSync(FOLDER)
  .filter(file => file.endsWith('.json') && file !== 'schema.json')
  .map(file => [file.slice(0, -5), JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')) as ScenarioFile])

/** A chart of eighty candles shows the same as one of three hundred. */
export const policy = { candles: 80 }

/** Runs the check of a scenario: it throws when the promise of the scenario is not kept. */
export const run = (name: string, consumer: Consumer): Promise<void> => CHECKS[name]!(consumer)
