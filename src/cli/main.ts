#!/usr/bin/env node
// The entry point of the program: connects a run to the streams, signals and exit code of its process.
import { constants } from 'node:os'
import { createOutput } from './output.js'
import { run } from './run.js'
import { createRejectionReporter, keepHeapSmall } from './run-context.js'

keepHeapSmall()
const report = createOutput(process.stderr)
// A list in a file that is cut off must not look whole.
let isLost = false
const print = createOutput(process.stdout, message => {
  report(message)
  isLost = true
  process.exitCode ||= 1
})
process.on('unhandledRejection', createRejectionReporter(report))
// Without a top-level await: modules that load on demand import from the same bundle and would wait for it forever.
run({
  args: process.argv.slice(2),
  environment: process.env,
  print,
  report,
  onServing(stop) {
    let isEnding = false
    const end = (signal: NodeJS.Signals): void => {
      if (isEnding) process.exit(128 + constants.signals[signal])
      isEnding = true
      stop(signal).then(exitCode => process.exit(exitCode))
    }
    // The last one is a terminal that is closed. Node ends by it also below `nohup`.
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, end)
  },
}).then(
  exitCode => {
    process.exitCode = exitCode || Number(isLost)
  },
  // A bug of the program.
  (error: unknown) => {
    report(`${(error as Error)?.stack ?? error}\n`)
    process.exit(1)
  },
)
