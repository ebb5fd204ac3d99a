// The console in Firefox: every flow against a real server.
import { testMainFlows, testOtherFlows } from './console-flows.js'
import { describeConsoleInFirefox } from './open-console.js'

describeConsoleInFirefox('the console in Firefox', open => {
  testMainFlows(open)
  testOtherFlows(open)
})
