// A connection to Redis: one server, a primary behind sentinels, or a cluster. A silent Redis fails fast, and recovers by itself.
import type * as Redis from '@redis/client'
import { PriceFeedMockError } from '../../../errors.js'
import { setInterval, wait } from '../../real-time.js'
import { isLasting, reasonOf, unavailable } from './refusals.js'
import type { Script } from './script.js'
import type { StoreAddress } from './store-url.js'

interface Subscriber {
  subscribe(channel: string, listener: (message: string) => void): Promise<unknown>
  /** Typed as `never` since the clients disagree on the type of the listener. */
  unsubscribe(channel: string, listener: never): Promise<unknown>
  destroy(): unknown
}

/** The methods that the clients of a server, of sentinels and of a cluster have in common. */
interface RedisClient extends Subscriber {
  on(event: 'error' | 'ready', listener: (error: unknown) => void): unknown
  connect(): Promise<unknown>
  readonly isReady: boolean
}

interface Client {
  readonly redis: RedisClient
  /** @param isWanted whether the reply is still waited for: if not, a command that could not be sent at once is left out */
  send(args: readonly string[], isWanted: () => boolean): Promise<unknown>
  /** The client for subscriptions. A connection with one can send nothing else in RESP2; sentinels and clusters have others for them. */
  subscriber(): Promise<Subscriber>
}

/** Real milliseconds until a command without a reply fails, and until a first connection does. */
const DEADLINE_MS = 1000
const FIRST_MS = 3 * DEADLINE_MS
const NO_REPLY = `no reply within ${DEADLINE_MS} ms`
/** Milliseconds between two looks at the commands without a reply. */
const WATCH_MS = 50
const MAX_RETRY_MS = 1000

/**
 * Connects to Redis.
 * @param key the key of the scripts, in the slot that all keys are in
 * @param onChange called when the store is lost, and when it is back: a command without a reply and the next reply decide
 * @throws PriceFeedMockError STORE_UNAVAILABLE
 */
export async function connect(address: StoreAddress, key: string, onChange: (message: string) => void) {
  const { shown } = address
  let isLost = false
  let hasConnected = false
  let lastError: unknown
  const onLost = (error: unknown): void => {
    // The first connection reports its failure by an error.
    if (!hasConnected) return
    if (!isLost) onChange(`The store ${shown} is away: ${reasonOf(unavailable(address, error))}.`)
    isLost = true
  }
  const onReady = (): void => {
    if (isLost) onChange(`The store ${shown} is back.`)
    isLost = false
  }
  const client = createClient(await loadRedis(), address, key, () => !hasConnected)
  const { redis } = client
  redis.on('error', error => {
    lastError = error
    // Of sentinels and of a cluster, others than the node of the store report errors as well.
    if (!redis.isReady) onLost(error)
  })
  redis.on('ready', onReady)
  await connectInTime(redis).catch(error => {
    throw unavailable(address, lastError ?? error, true)
  })
  hasConnected = true

  /** How to fail the commands without a reply, oldest first, and the look at which each fails. */
  const pending = new Map<(error: unknown) => void, number>()
  /** Since a command had no reply in time: no other is sent until Redis replies again. */
  let isSilent = false
  // Time is counted in looks: a process that was busy itself, and has not read the replies yet, is not late.
  let looks = 0
  const watch = setInterval(() => {
    looks++
    for (const [reject, due] of pending) {
      if (due > looks) break
      pending.delete(reject)
      reject(unavailable(address, NO_REPLY))
      if (!isSilent) void listenAgain()
    }
  }, WATCH_MS).unref()
  const listenAgain = async (): Promise<void> => {
    isSilent = true
    onLost(NO_REPLY)
    // Fails if the connection breaks as well: then the next one decides.
    await client.send(['PING'], () => true).then(onReady, () => {})
    isSilent = false
  }

  /**
   * Sends a command, and fails if no reply comes in time.
   * @throws PriceFeedMockError STORE_UNAVAILABLE, or the reply of Redis that it does not know a script
   */
  const inTime = (begin: (isWanted: () => boolean) => Promise<unknown>): Promise<unknown> => {
    if (!redis.isReady) return Promise.reject(unavailable(address, 'no connection'))
    if (isSilent) return Promise.reject(unavailable(address, 'no reply to an earlier command'))
    return new Promise((resolve, reject) => {
      pending.set(reject, looks + 1 + DEADLINE_MS / WATCH_MS)
      begin(() => pending.has(reject)).then(
        reply => {
          pending.delete(reject)
          onReady()
          resolve(reply)
        },
        error => {
          if (pending.delete(reject) && !isReply(error)) onLost(error)
          reject(isUnknownScript(error) ? error : unavailable(address, error))
        },
      )
    })
  }
  const send = (args: readonly string[]) => inTime(isWanted => client.send(args, isWanted))

  let subscriber: Promise<Subscriber> | undefined
  return {
    send,
    /** @throws PriceFeedMockError STORE_UNAVAILABLE */
    async evaluate({ lua, sha }: Script, args: readonly string[]): Promise<unknown> {
      const rest = ['1', key, ...args]
      try {
        return await send(['EVALSHA', sha, ...rest])
      } catch (error) {
        if (!isUnknownScript(error)) throw error
        return await send(['EVAL', lua, ...rest])
      }
    },
    /**
     * Calls back for each message of a channel until the returned function is called.
     * @throws PriceFeedMockError STORE_UNAVAILABLE
     */
    async subscribe(channel: string, onMessage: (message: string) => void) {
      subscriber ??= client.subscriber().catch(error => {
        subscriber = undefined
        throw unavailable(address, error)
      })
      const connected = await subscriber
      const stop = () => connected.unsubscribe(channel, onMessage as never).catch(() => {})
      // A reply that comes too late leaves no listener.
      await inTime(isWanted => connected.subscribe(channel, onMessage).then(() => isWanted() || stop()))
      return stop
    },
    close(): void {
      clearInterval(watch)
      quietly(() => redis.destroy())
      quietly(async () => (await subscriber)?.destroy())
      for (const reject of pending.keys()) reject(unavailable(address, 'this server stops'))
      pending.clear()
    },
  }
}

async function loadRedis(): Promise<typeof Redis> {
  try {
    return await import('@redis/client')
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw cause
    const shortMessage = 'A store needs the package @redis/client, which is not installed.'
    const fix = 'npm install --save-dev @redis/client@6'
    throw new PriceFeedMockError('OPTIONS_INVALID', shortMessage, { cause, fix })
  }
}

/** @param isFirst whether there has been no connection yet */
function createClient(redis: typeof Redis, address: StoreAddress, key: string, isFirst: () => boolean): Client {
  const { kind, nodes, tls, username, password, database, master } = address
  const socket = {
    connectTimeout: DEADLINE_MS,
    // A password that is wrong stays wrong.
    reconnectStrategy: (retries: number, cause: Error) =>
      isFirst() && isLasting(cause) ? cause : Math.min(50 * 2 ** Math.min(retries, 10), MAX_RETRY_MS),
    ...(tls ? { tls: true as const } : {}),
  }
  const common = {
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    // A command that waits for a connection would be sent after its request was answered.
    disableOfflineQueue: true,
  }
  // The default makes an AbortSignal for each command, and ends with the write: a silent Redis would be waited for without end.
  const commandOptions = { timeout: 0 }
  if (kind === 'cluster') {
    const cluster = redis.createCluster({
      rootNodes: nodes.map(({ host, port }) => ({ socket: { ...socket, host, port } as never })),
      defaults: { ...common, socket: socket as never },
      commandOptions,
    })
    return {
      redis: cluster,
      send: args => cluster.sendCommand(key, false, args as string[]),
      subscriber: async () => cluster,
    }
  }
  if (kind === 'sentinel') {
    const sentinel = redis.createSentinel({
      name: master!,
      sentinelRootNodes: nodes.map(({ host, port }) => ({ host, port })),
      nodeClientOptions: { ...common, database, socket: socket as never },
      sentinelClientOptions: { socket: socket as never },
      commandOptions,
    })
    return {
      redis: sentinel,
      send(args, isWanted) {
        let wasSent = false
        // `sendCommand` sends a command again after a failover: it may have been executed, and would be counted twice.
        return sentinel._execute(false, async primary => {
          if (wasSent || !isWanted()) throw new Error('the connection broke')
          wasSent = true
          try {
            return await primary.sendCommand(args as string[], commandOptions)
          } catch (error) {
            wasSent = !/^READONLY/.test((error as Error).message)
            throw error
          }
        })
      },
      subscriber: async () => sentinel,
    }
  }
  const [{ host, port }] = nodes as [StoreAddress['nodes'][0]]
  const single = redis.createClient({ ...common, database, commandOptions, socket: { ...socket, host, port } as never })
  return {
    redis: single,
    send: args => single.sendCommand(args),
    async subscriber() {
      const other = single.duplicate()
      other.on('error', () => {})
      await connectInTime(other)
      return other
    },
  }
}

/** Connects a client, or ends it. */
async function connectInTime(redis: Pick<RedisClient, 'connect' | 'destroy'>): Promise<void> {
  const connected = new AbortController()
  const late = wait(FIRST_MS, connected.signal).then(() => {
    throw new Error(`no connection within ${FIRST_MS} ms`)
  })
  try {
    await Promise.race([redis.connect(), late])
  } catch (error) {
    quietly(() => redis.destroy())
    throw error
  } finally {
    connected.abort()
  }
}

/** Calls a function that fails where there is no connection. */
const quietly = (act: () => unknown): void => void (async () => act())().catch(() => {})

const isUnknownScript = (error: unknown): boolean => error instanceof Error && error.message.startsWith('NOSCRIPT')

/** Errors that Redis replies with begin with a word in capitals. A server that is not ready to serve counts as away. */
const isReply = (error: unknown): boolean =>
  error instanceof Error &&
  /^[A-Z]{2,}\b/.test(error.message) &&
  !/^(LOADING|READONLY|CLUSTERDOWN|MASTERDOWN|TRYAGAIN|BUSY|NOREPLICAS|MISCONF|OOM|UNBLOCKED|NOAUTH|WRONGPASS|NOPERM)\b/.test(
    error.message,
  )
