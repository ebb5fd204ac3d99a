// The tick faults. To add one, write its file and test beside this file and add a line here.
import { extraFeed } from './extra-feed.js'
import { missingFeed } from './missing-feed.js'
import { negative } from './negative.js'
import { otherExpo } from './other-expo.js'
import { tsBackwards } from './ts-backwards.js'
import { tsMilliseconds } from './ts-milliseconds.js'
import { tsSkew } from './ts-skew.js'
import { unsafeInteger } from './unsafe-integer.js'
import { wrongExpo } from './wrong-expo.js'
import { zero } from './zero.js'

/** Every tick fault. */
export const TICK_FAULTS = [
  tsSkew,
  tsBackwards,
  tsMilliseconds,
  zero,
  negative,
  unsafeInteger,
  wrongExpo,
  missingFeed,
  extraFeed,
  otherExpo,
] as const
