// What a server counts. The library that counts costs a tenth of the time until ready, so it is loaded after the first answer.
import type { Counters } from './counters.js'
import type { Exchange } from './exchange.js'

/** The metrics of one server. */
export interface Metrics {
  /** Counts an answer, now or as soon as the counters are there. */
  observe(exchange: Exchange): void
  /** The counters, with everything counted so far. */
  counters(): Promise<Counters>
}

/**
 * Creates the metrics of one server.
 * @param sessions how many sessions there are
 */
export function createMetrics(sessions: () => number): Metrics {
  const waiting: Exchange[] = []
  let loaded: Counters | undefined
  let loading: Promise<Counters> | undefined
  const counters = (): Promise<Counters> =>
    (loading ??= import('./counters.js').then(({ createCounters }) => {
      loaded = createCounters(sessions)
      for (const exchange of waiting.splice(0)) loaded.observe(exchange)
      return loaded
    }))
  return {
    counters,
    observe(exchange) {
      if (loaded !== undefined) return loaded.observe(exchange)
      waiting.push(exchange)
      counters()
    },
  }
}
