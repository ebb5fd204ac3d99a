// Colours of what stands on stderr: whether there are any is decided once, by that stream and not by stdout.
import { createColors } from 'picocolors'

const { env, stderr } = process

/** Colours, or nothing: NO_COLOR turns them off, FORCE_COLOR on, otherwise a terminal has them. */
export const colours = createColors(
  !env.NO_COLOR && (Boolean(env.FORCE_COLOR) || (Boolean(stderr.isTTY) && env.TERM !== 'dumb')),
)
