#!/usr/bin/env node
// Starts a released Firefox in place of Playwright's own build. Playwright reads the address of the browser from its output and then
// sends a command that released versions do not have: this program answers that one, and passes all others on.
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { WebSocket, WebSocketServer } from 'ws'

/** Emulates colour schemes. The tests choose the theme in the page instead. */
const UNKNOWN_COMMAND = 'emulation.setMediaFeaturesOverride'

const firefox = spawn(process.env.PRICE_FEED_MOCK_FIREFOX, process.argv.slice(2), {
  stdio: ['ignore', 'inherit', 'pipe'],
})
firefox.on('exit', code => process.exit(code ?? 1))
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => firefox.kill(signal))

for await (const line of createInterface({ input: firefox.stderr })) {
  const [, address] = /WebDriver BiDi listening on (ws:.*)$/.exec(line) ?? []
  if (address === undefined) process.stderr.write(`${line}\n`)
  else relay(address)
}

/** Relays commands to Firefox from an address that Playwright reads below. */
function relay(address) {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 })
  server.on('connection', (playwright, request) => {
    const browser = new WebSocket(address + request.url, { perMessageDeflate: false })
    const isOpen = new Promise(resolve => browser.on('open', resolve))
    playwright.on('message', async data => {
      await isOpen
      const { id, method } = JSON.parse(data)
      if (method !== UNKNOWN_COMMAND) browser.send(String(data))
      else playwright.send(JSON.stringify({ type: 'success', id, result: {} }))
    })
    browser.on('message', data => playwright.send(String(data)))
    for (const [one, other] of [
      [playwright, browser],
      [browser, playwright],
    ]) {
      one.on('close', () => other.close())
      one.on('error', () => other.close())
    }
  })
  server.on('listening', () =>
    process.stderr.write(`WebDriver BiDi listening on ws://127.0.0.1:${server.address().port}\n`),
  )
}
