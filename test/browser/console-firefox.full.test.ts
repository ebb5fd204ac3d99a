// The console in Firefox: the main flows against a real server, in the full run every one.
import { IS_FULL_RUN } from '../support/seed.js'
import { testMainFlows, testOtherFlows } from './console-flows.js'
import { describeConsoleInFirefox } from './open-console.js'

describeConsoleInFirefox('the console in Firefox', open => {
  testMainFlows(open)
  if (IS_FULL_RUN) testOtherFlows(open)
})
