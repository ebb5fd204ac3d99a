// Prints "N passed, N failed" for the reports in a folder; exits with 1 when something failed or nothing passed.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const [, , folder] = process.argv
const EXPECTED = ['fast', 'full', 'engines', 'matrix', 'only-node'].map(name => `${name}.json`)

let passed = 0
let failed = 0
const missing = EXPECTED.filter(file => !readdirSync(folder).includes(file))
for (const file of EXPECTED.filter(file => !missing.includes(file))) {
  const report = JSON.parse(readFileSync(join(folder, file), 'utf8'))
  passed += report.numPassedTests
  failed += report.numFailedTests
  // A file that cannot be loaded has no tests.
  failed += (report.testResults ?? []).filter(
    ({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0,
  ).length
}
if (missing.length > 0)
  console.log(`No report of ${missing.map(file => file.replace('.json', '')).join(', ')}: an earlier step failed.`)
console.log(`${passed} passed, ${failed + missing.length} failed`)
process.exitCode = failed + missing.length > 0 ? 1 : 0
