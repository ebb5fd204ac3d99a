// The body of an answer as the text that goes over the wire.
import { toAsciiJson } from '../outcome.js'
import type { Content } from './fault.js'

/** ASCII. */
export const textOf = ({ body }: Content): string => ('text' in body ? body.text : toAsciiJson(body.value))
