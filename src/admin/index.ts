// The list of levers. Adding one is a file beside this one and a line here.
import { feeds } from './feeds.js'
import { health } from './health.js'
import { info } from './info.js'
import { openapi } from './openapi.js'
import { root } from './root.js'

/** Every lever, in the order of the index page. */
export const LEVERS = [root, health, info, feeds, openapi] as const
