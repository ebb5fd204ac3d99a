// The pages that errors name, as paths from the folder of the user.
import { realpathSync } from 'node:fs'
import { isAbsolute, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of the package: of the checkout for the sources, of the installed package for the bundled program. */
export const PACKAGE = fileURLToPath(new URL('../..', import.meta.url))

/**
 * Replaces `price-feed-mock/docs/` in the text of an error by the folder of the pages.
 * @param root the folder of the package
 */
export function withDocsPath(text: string, from = process.cwd(), root = PACKAGE): string {
  return text.replace(/(?<=^ {2}docs +)price-feed-mock\/docs(?=\/)/gm, () => docsFolder(from, root))
}

function docsFolder(from: string, root: string): string {
  const installed = join('node_modules', 'price-feed-mock')
  // Package managers that link packages run the program from elsewhere.
  const linked = realPath(join(from, installed))
  if (linked !== undefined && linked === realPath(root)) return join(installed, 'docs')
  const path = relative(from, join(root, 'docs'))
  return path.startsWith('..') || isAbsolute(path) ? join(root, 'docs') : path
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}
