// Colours for standard error. Decided once, by that stream and not by standard output.
import { createColors } from 'picocolors'

/** Whether to use colours: NO_COLOR disables them, FORCE_COLOR enables them; without either, a terminal has them. */
export function hasColours(environment: NodeJS.ProcessEnv, isTerminal: boolean): boolean {
  if (environment.NO_COLOR) return false
  return Boolean(environment.FORCE_COLOR) || (isTerminal && environment.TERM !== 'dumb')
}

/** The colours of this process, or functions that change nothing. */
export const colours = createColors(hasColours(process.env, Boolean(process.stderr.isTTY)))
