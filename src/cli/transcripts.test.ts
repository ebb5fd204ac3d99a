// Replays every transcript of test/cli and compares the output. `npx vitest run src/cli/transcripts.test.ts -u` updates them, so
// a new transcript can be written without its output.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { it } from 'vitest'
import { createShell } from '../../test/cli/shell.js'
import { replay } from '../../test/cli/transcript.js'

const FOLDER = fileURLToPath(new URL('../../test/cli/', import.meta.url))
const names = readdirSync(FOLDER).filter(name => name.endsWith('.txt'))

for (const name of names)
  it.concurrent(`behavior: ${name}`, async ({ expect }) => {
    const path = join(FOLDER, name)
    const shell = createShell()
    try {
      await expect(await replay(readFileSync(path, 'utf8'), shell, name === 'serve.txt')).toMatchFileSnapshot(path)
    } finally {
      shell.end()
    }
  })
