// The list of levers. Adding one is a file beside this one and a line here.
import { feeds } from './feeds.js'
import { health } from './health.js'
import { info } from './info.js'

export const LEVERS = [health, info, feeds] as const
