// The console in Chromium: its main flows against a real server.
import { testMainFlows } from './console-flows.js'
import { describeConsole } from './open-console.js'

describeConsole('the console', testMainFlows)
