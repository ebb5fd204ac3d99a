// A user's own handlers behind the guard: network errors and failures.
import { HttpResponse, http } from 'msw'
import { expect, it, vi } from 'vitest'
import { startServer } from './server.js'

it('behavior: a network error closes the connection, and a failure is answered', async () => {
  const printed = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  const handlers = [
    http.get('/broken', () => HttpResponse.error()),
    http.get('/failing', () => {
      throw new Error('no such user')
    }),
  ]
  const server = await startServer({ host: '127.0.0.1', port: 0, handlers })
  try {
    await expect(fetch(`${server.url}/broken`)).rejects.toThrow('fetch failed')
    expect(printed).not.toHaveBeenCalledWith(expect.stringContaining('of your own failed'))
    const reply = await fetch(`${server.url}/failing?api_key=live-4242`)
    const text = await reply.text()
    expect([reply.status, (JSON.parse(text) as { code: string }).code]).toEqual([500, 'HANDLER_FAILED'])
    expect(printed).toHaveBeenCalledWith(
      expect.stringContaining('of your own failed at GET /failing?api_key=(not-shown).'),
    )
    expect(text + JSON.stringify(printed.mock.calls)).not.toContain('live-4242')
  } finally {
    await server.stop()
    printed.mockRestore()
  }
})
