// The shell commands of a README, and the installation of a packed clone as the main README has it.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The `sh` blocks of a page, without comments at the ends of lines. */
export const blocksOf = (page: string): string[] =>
  [...readFileSync(page, 'utf8').matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block]) =>
    block!.replaceAll(/ +#.*$/gm, ''),
  )

/** The command that installs the tarball of a clone beside the project. */
export const INSTALL = blocksOf(fileURLToPath(new URL('../../README.md', import.meta.url)))
  .flatMap(block => block.split('\n'))
  .find(line => /^npm install .*\.tgz$/.test(line))!
