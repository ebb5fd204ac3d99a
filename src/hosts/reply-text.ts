// Reads the body of a reply from elsewhere, which may be long, slow or without an end.

/**
 * The text of a body; of one that is longer than `most`, a part that is also longer.
 * @param signal ends it. The signal of the request alone does not do: engines forget a combined one that only a request refers to
 */
export async function readReplyText({ body }: Response, most: number, signal: AbortSignal): Promise<string> {
  if (body === null) return ''
  const reader = body.getReader()
  const end = (): void => void reader.cancel().catch(() => {})
  signal.addEventListener('abort', end)
  const decoder = new TextDecoder()
  let text = ''
  try {
    while (text.length <= most) {
      signal.throwIfAborted()
      const { value, done } = await reader.read()
      if (done) break
      text += decoder.decode(value, { stream: true })
    }
    signal.throwIfAborted()
    return text
  } finally {
    signal.removeEventListener('abort', end)
    // The rest of a body that is too long ends the connection.
    end()
  }
}
