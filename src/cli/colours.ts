// Colours for standard error. Decided once, by that stream and not by standard output.
import { createColors } from 'picocolors'

const { env, stderr } = process

/** NO_COLOR disables colours, FORCE_COLOR enables them; without either, a terminal has colours. */
export const colours = createColors(
  !env.NO_COLOR && (Boolean(env.FORCE_COLOR) || (Boolean(stderr.isTTY) && env.TERM !== 'dumb')),
)
