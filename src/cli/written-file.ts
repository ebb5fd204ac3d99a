// Files that a run writes at its end: their folders are made, and an error is one line, because the exit code says something else.
import { closeSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { openToWrite } from './files.js'

/** Creates a folder and those above it. The option `recursive` of Node never returns for a path such as `/proc/a/b`. */
export function makeFolder(path: string): void {
  if (existsSync(path)) return
  makeFolder(dirname(path))
  mkdirSync(path)
}

/**
 * Writes a file and creates its folder.
 * @param content the content, as a subject: `the report`
 * @param report receives an error on one line
 * @returns whether it was written
 */
export function writeAtEnd(file: string, text: string, content: string, report: (line: string) => void): boolean {
  try {
    makeFolder(dirname(file))
    const descriptor = openToWrite(file)
    try {
      writeFileSync(descriptor, text)
    } finally {
      closeSync(descriptor)
    }
    return true
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    report(`${content} was not written to ${file} (${code ?? message}).`)
    return false
  }
}
