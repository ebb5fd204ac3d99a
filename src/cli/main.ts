#!/usr/bin/env node
// The entry point of the program: connects a run to the streams, signals and exit code of its process.
import { run } from './run.js'
import { keepHeapSmall } from './small-heap.js'

/** A closed pipe, as in `price-feed-mock --help | head -1`, is not an error. */
function ignoreClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error
}

keepHeapSmall()
process.stdout.on('error', ignoreClosedPipe)
process.stderr.on('error', ignoreClosedPipe)
// Without a top-level await: modules that load on demand import from the same bundle and would wait for it forever.
run({
  args: process.argv.slice(2),
  environment: process.env,
  print: text => process.stdout.write(text),
  report: text => process.stderr.write(text),
  onServing(stop) {
    const end = (): void => {
      stop().then(() => process.exit(0))
    }
    process.on('SIGINT', end)
    process.on('SIGTERM', end)
  },
}).then(exitCode => {
  process.exitCode = exitCode
})
