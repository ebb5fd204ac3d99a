// Words for a shell. It knows nothing of what they say.

/** Text as one word of a POSIX shell. */
export function quote(value: string): string {
  return /^[\w./:=@%+-]+$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`
}
