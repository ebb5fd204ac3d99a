// Every mutant, by the folder of its file. A mutant that cannot change what a caller sees does not belong here.
import type { Mutant } from '../mutant.js'
import { ADMIN } from './admin.js'
import { CHAIN } from './chain.js'
import { CLI } from './cli.js'
import { ENDPOINTS } from './endpoints.js'
import { FAULTS } from './faults.js'
import { HOSTS } from './hosts.js'
import { KITS } from './kits.js'
import { MARKET } from './market.js'
import { REPORT } from './report.js'
import { SCENARIO } from './scenario.js'
import { SERVICE } from './service.js'
import { SETTINGS } from './settings.js'
import { SIGNING } from './signing.js'

/** The list. */
export const MUTANTS: readonly Mutant[] = [
  ...MARKET,
  ...SIGNING,
  ...FAULTS,
  ...SCENARIO,
  ...SETTINGS,
  ...SERVICE,
  ...ENDPOINTS,
  ...ADMIN,
  ...REPORT,
  ...HOSTS,
  ...KITS,
  ...CLI,
  ...CHAIN,
]
