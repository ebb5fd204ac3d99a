// Traded volume under faults: none while a market is silent, more during a crash. Volumes of adjacent times still add up exactly.
import type { Volume } from './volume.js'
import type { Windows } from './windows.js'

/** Removes what is traded in the windows. */
export function withoutTrade(volume: Volume, windows: Windows): Volume {
  return {
    between(from, to) {
      let traded = volume.between(from, to)
      for (const window of windows.between(from, to - 1))
        traded -= volume.between(Math.max(from, window.from), Math.min(to, window.until))
      return traded
    },
  }
}

/**
 * Adds volume in the windows.
 * @param tradedBy what is added until so many seconds after the start of a window, in hundredths of a USD: a whole number that never falls
 */
export function withSurge(volume: Volume, windows: Windows, tradedBy: (passed: number) => number): Volume {
  return {
    between(from, to) {
      let traded = volume.between(from, to)
      for (const window of windows.between(from, to - 1))
        traded +=
          tradedBy(Math.min(to, window.until) - window.from) - tradedBy(Math.max(from, window.from) - window.from)
      return traded
    },
  }
}

/** A layer of volume, and the call that records that it changed an answer. */
export interface VolumeLayer {
  readonly volume: Volume
  markApplied(): void
}

/** The volume of the last layer, where each layer that changes an answer is recorded. */
export function trackVolume(below: Volume, layers: readonly VolumeLayer[]): Volume {
  return {
    between(from, to) {
      let traded = below.between(from, to)
      for (const { volume, markApplied } of layers) {
        const after = volume.between(from, to)
        if (after !== traded) markApplied()
        traded = after
      }
      return traded
    },
  }
}
