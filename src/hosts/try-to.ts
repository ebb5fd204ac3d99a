// A step that may fail where its error says nothing more.

/** The result of a step, or undefined if it throws. */
export function tryTo<T>(step: () => T): T | undefined {
  try {
    return step()
  } catch {
    return undefined
  }
}

/** Text without its percent escapes; as it is, if they are broken. */
export const decodeText = (text: string): string => tryTo(() => decodeURIComponent(text)) ?? text
