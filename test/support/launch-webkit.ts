// Finds WebKitGTK on this machine and starts it through its W3C WebDriver: the installed Playwright cannot drive it.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { freePort } from './free-port.js'
import { missingProgram } from './needs.js'

/** The reason to skip what runs in WebKit; undefined where it runs. It opens windows, so it needs a display. */
export const NO_WEBKIT = missingProgram('WebKitWebDriver') ?? missingProgram('xvfb-run')

/** A WebKit with one page. */
export interface WebKit {
  readonly version: string
  goto(url: string): Promise<void>
  /** The value of an expression, or of its promise. */
  evaluate<T>(code: string): Promise<T>
  close(): Promise<void>
}

/** Starts a WebKit on a display of its own. */
export async function launchWebKit(): Promise<WebKit> {
  const port = await freePort()
  // A sandbox needs rights that containers lack. The group holds the display, the driver and the browser.
  const env = { ...process.env, WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1' }
  const driver = spawn('xvfb-run', ['-a', 'WebKitWebDriver', `--port=${port}`], {
    env,
    detached: true,
    stdio: 'ignore',
  })
  const isEnded = once(driver, 'exit')
  const command = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const reply = await fetch(`http://127.0.0.1:${port}${path}`, { method, body: body ? JSON.stringify(body) : null })
    const { value } = (await reply.json()) as { value: T & { message?: string } }
    if (!reply.ok) throw new Error(value.message)
    return value
  }
  const end = async () => {
    if (driver.exitCode === null) process.kill(-driver.pid!)
    await isEnded
  }
  try {
    while (!(await command('GET', '/status').then(Boolean, () => false))) {
      if (driver.exitCode !== null) throw new Error(`xvfb-run ended with ${driver.exitCode}`)
      await wait(50)
    }
    const alwaysMatch = { timeouts: { script: 300_000 } }
    const { sessionId, capabilities } = await command<{
      readonly sessionId: string
      readonly capabilities: { readonly browserVersion: string }
    }>('POST', '/session', { capabilities: { alwaysMatch } })
    const session = `/session/${sessionId}`
    return {
      version: capabilities.browserVersion,
      goto: url => command('POST', `${session}/url`, { url }),
      evaluate: code => command('POST', `${session}/execute/sync`, { script: `return ${code}`, args: [] }),
      async close() {
        await command('DELETE', session)
        await end()
      },
    }
  } catch (error) {
    await end()
    throw error
  }
}
