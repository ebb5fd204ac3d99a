// Load at a fixed rate, below saturation: under full load the figures would measure the load generator.
import { connect, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'

/** A load. */
export interface Load {
  /** Base address of the server, or of several, which take turns. */
  readonly url: string | readonly string[]
  readonly key: string
  /** The target of request `i`. */
  target(i: number): string
  /** Requests a second. */
  readonly rate: number
  readonly requests: number
}

/** Latencies in milliseconds. */
export interface Latencies {
  readonly p50: number
  readonly p99: number
}

/** Connections that are kept open. */
const CONNECTIONS = 16
/** Requests that one turn of the timer sends at most: after a pause of the machine the rest is spread out. */
const MAX_BURST = 8

/**
 * Sends requests at a fixed rate, one at a time on each connection.
 * @throws Error for a status other than 200, a closed connection, or a server that takes five times as long as the rate allows
 */
export async function load({ url, key, target, rate, requests }: Load): Promise<Latencies> {
  const urls = [url].flat()
  const latencies = new Float64Array(requests)
  let sent = 0
  let answered = 0
  let failure: string | undefined
  const free: (() => void)[] = []

  const open = (_: unknown, index: number): Promise<Socket> =>
    new Promise(resolve => {
      const { hostname, port, host } = new URL(urls[index % urls.length]!)
      const rest = ` HTTP/1.1\r\nhost: ${host}\r\nauthorization: ${key}\r\n\r\n`
      let startedAt = 0
      let missing = -1
      const send = (): void => {
        startedAt = performance.now()
        socket.write(`GET ${target(sent++)}${rest}`, 'latin1')
      }
      const socket = connect({ host: hostname, port: Number(port), noDelay: true }, () => {
        free.push(send)
        resolve(socket)
      })
      socket.on('error', error => (failure = String(error)))
      socket.on('data', (chunk: Buffer) => {
        if (missing < 0) {
          const end = chunk.indexOf('\r\n\r\n')
          const head = chunk.toString('latin1', 0, end)
          if (end < 0 || !head.startsWith('HTTP/1.1 200 ')) failure = head.slice(0, 200)
          missing = end + 4 + Number(/content-length: (\d+)/i.exec(head)?.[1])
        }
        missing -= chunk.length
        if (missing > 0) return
        missing = -1
        latencies[answered++] = performance.now() - startedAt
        free.push(send)
      })
    })

  const sockets = await Promise.all(Array.from({ length: CONNECTIONS }, open))
  const start = performance.now()
  while (answered < requests && failure === undefined) {
    const elapsed = performance.now() - start
    const due = Math.min(requests, Math.ceil((elapsed * rate) / 1000)) - sent
    for (let i = Math.min(due, MAX_BURST); i > 0 && free.length > 0; i--) free.shift()!()
    if (elapsed > 10_000 + (requests / rate) * 5_000) failure = `only ${answered} of ${requests} answered in time`
    await wait(1)
  }
  for (const socket of sockets) socket.destroy()
  if (failure !== undefined) throw new Error(`${urls.join(', ')}: ${failure}`)
  latencies.sort()
  return { p50: latencies[Math.floor(requests * 0.5)]!, p99: latencies[Math.floor(requests * 0.99)]! }
}
