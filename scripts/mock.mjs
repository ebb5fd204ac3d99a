// `npm run mock`: builds when the sources are newer than the program, then runs the program.
import { pathToFileURL } from 'node:url'
import { buildIfNeeded, program } from './build.mjs'

const problem = buildIfNeeded()
if (problem === undefined) {
  await import(pathToFileURL(program))
} else {
  process.stderr.write(`price-feed-mock: ${problem}\n`)
  process.exitCode = 1
}
