// Asks a service, politely: one request after the other, a limit of their number, waits that the service asks for.
import { countOf, NOT_SHOWN, PriceFeedMockError, tryTo, UNTRUSTED, withoutStop } from '../errors.js'
import { readReplyText } from '../hosts/answer.js'
import { parseRetryAfter } from '../settings/time.js'
import { parseExact } from '../signing/signed-response.js'
import type { Answer, Asking, ProbeContext, Question, Seen } from './probe.js'
import { PROBES } from './probes.js'

/** A service, and the surroundings of its requests, which a test replaces. */
export interface Service {
  readonly baseUrl: string
  readonly historyUrl: string
  /** Neither written nor shown. */
  readonly apiKey: string
  readonly maxRequests: number
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** Resolves after some milliseconds, or rejects when the signal aborts. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>
  readonly signal: AbortSignal
  /** Makes a signal for the longest time of one request. */
  readonly timeout: () => AbortSignal
  readonly report: (line: string) => void
  /** Called before a question is sent, but not for one whose answer is known. */
  readonly onSend?: ((question: Question) => void) | undefined
}

/** The error of a question that is not asked, or not again: its probe has no result. */
const unasked = (reason: string, fix: string): PriceFeedMockError =>
  new PriceFeedMockError('SERVICE_REFUSED', `${reason}.`, { fix })

/** Asks questions, and knows the answers to those that were asked before. */
export type Asker = ReturnType<typeof createAsker>

/** The longest wait that a service may ask for, and the number of waits for one answer. */
const MAX_WAIT_MS = 60_000
const MAX_RETRIES = 3
/** How often a run asks again after an error of the service, which may be its rule. */
const MAX_FAILURES = 10
/** The longest body, in characters. */
const MAX_BODY = 4_000_000
const WRONG_KEY = 'price-feed-mock-compare'

/** The identity of a question. */
export const keyOf = ({ method = 'GET', target, key = 'own' }: Question): string => `${method} ${target} ${key}`

/** Hides the key in a text. One that is so short stays: it may be a part of any word, such as `price`. */
export const hideKey = (text: string, apiKey: string): string =>
  apiKey.length < 8 ? text : text.replaceAll(apiKey, NOT_SHOWN)

/** Creates the asker of one run. */
export function createAsker(service: Service) {
  const known = new Map<string, Answer>()
  const answers: { readonly question: Question; readonly answer: Answer }[] = []
  let requests = 0
  let failures = 0
  const mayBeChance = ({ status }: Answer, attempt: number): boolean =>
    status >= 500 && attempt === 0 && ++failures <= MAX_FAILURES

  const send = async (question: Question): Promise<Answer> => {
    for (let attempt = 0; ; attempt++) {
      if (requests >= service.maxRequests)
        throw unasked(`the limit of ${countOf(service.maxRequests, 'request')} is reached`, 'raise --max-requests')
      requests++
      const response = await fetchOne(service, question).catch(error => {
        if (attempt > 0 || service.signal.aborted) throw error
        return undefined
      })
      const waitMs = response && retryAfterMs(response, attempt)
      // A connection can break, and one error may be chance: once more.
      if (response === undefined || (waitMs === undefined && mayBeChance(response, attempt))) {
        await service.wait(1000, service.signal)
        continue
      }
      if (waitMs === undefined) return response
      if (attempt === MAX_RETRIES || waitMs > MAX_WAIT_MS)
        throw unasked(
          `the service answers ${response.status}: ${response.status === 503 ? 'it is unavailable' : 'too many requests'}`,
          'compare again later',
        )
      service.report(`the service answered ${response.status}; asking again in ${Math.ceil(waitMs / 1000)} s.`)
      await service.wait(waitMs, service.signal)
    }
  }

  return {
    answers,
    async ask(question: Question): Promise<Answer> {
      const key = keyOf(question)
      const earlier = question.again ? undefined : known.get(key)
      if (earlier !== undefined) return earlier
      service.onSend?.(question)
      const answer = await send(question)
      known.set(key, answer)
      answers.push({ question, answer })
      return answer
    },
    get requests() {
      return requests
    },
  }
}

/** Milliseconds until the same question may be asked again; undefined for an answer that counts. */
function retryAfterMs({ status, headers, now }: Answer, attempt: number): number | undefined {
  if (status !== 429 && status !== 503) return undefined
  const seconds = parseRetryAfter(headers['retry-after'] ?? '', now)
  if (status === 503 && Number.isNaN(seconds)) return undefined
  return Number.isNaN(seconds) ? 1000 * [1, 4, 15, 60][attempt]! : Math.max(1000, seconds * 1000)
}

async function fetchOne(service: Service, { base, target, method = 'GET', key = 'own' }: Question): Promise<Answer> {
  const { apiKey, signal } = service
  const authorization = { own: apiKey, bearer: `Bearer ${apiKey}`, wrong: WRONG_KEY, none: undefined }[key]
  const address = base === 'history' ? service.historyUrl : service.baseUrl
  const timeout = service.timeout()
  const ended = AbortSignal.any([signal, timeout])
  const hide = (value: string): string => hideKey(value, apiKey)
  try {
    const response = await service.fetch(address + target, {
      method,
      headers: authorization === undefined ? {} : { authorization },
      // A redirect could take the key elsewhere.
      redirect: 'manual',
      signal: ended,
    })
    const text = await readReplyText(response, MAX_BODY, ended)
    const headers = Object.fromEntries([...response.headers].map(([name, value]) => [name, hide(value)]))
    const date = Date.parse(headers.date ?? '')
    return {
      status: response.status,
      headers,
      body: tryTo(() => parseExact(hide(text))),
      now: Math.floor((Number.isNaN(date) ? service.now() : date) / 1000),
    }
  } catch (cause) {
    signal.throwIfAborted()
    const reason = timeout.aborted ? 'no answer in time' : 'no answer'
    // The message of the error itself may quote the request.
    const inner = (cause as { readonly cause?: { readonly code?: unknown; readonly message?: unknown } }).cause
    throw new PriceFeedMockError('NO_REPLY', `${method} ${address}${target}: ${reason}.`, {
      got: hide(String(inner?.code ?? inner?.message ?? (cause as Error).name)),
      fix: fixOfTrust(inner?.code) ?? 'check --base-url and --history-url',
    })
  }
}

/** The fix for the code of a failed request; undefined unless the certificate of the service is not trusted. */
export const fixOfTrust = (code: unknown): string | undefined =>
  UNTRUSTED.when.test(String(code)) ? UNTRUSTED.fix : undefined

/** The forms that were seen, by the names of their probes, and the reasons for which others were not asked. */
export type Observed = Awaited<ReturnType<typeof observe>>

interface Surroundings {
  readonly ask: (question: Question) => Promise<Answer>
  readonly pause: (seconds: number) => Promise<void>
  /** Called during a long calculation, with the number of candidates so far. */
  readonly onCalculated?: ((candidates: number) => Promise<void>) | undefined
}

async function runAsking<T>(asking: Asking<T>, { ask, pause, onCalculated }: Surroundings): Promise<T> {
  let step = asking.next()
  while (!step.done) {
    const { value } = step
    if ('target' in value) step = asking.next(await ask(value))
    else {
      if ('pause' in value) await pause(value.pause)
      else await onCalculated?.(value.calculated)
      step = asking.next(undefined as never)
    }
  }
  return step.value
}

const ENDED = 'the run was ended'

/** Runs all probes. One that fails does not stop the others. */
export async function observe(context: ProbeContext, surroundings: Surroundings, isEnded: () => boolean = () => false) {
  const seen: Record<string, Seen> = {}
  const notAsked: Record<string, string> = {}
  for (const probe of PROBES) {
    try {
      if (isEnded()) notAsked[probe.name] = ENDED
      else seen[probe.name] = await runAsking(probe.ask(context), surroundings)
    } catch (error) {
      if (isEnded()) notAsked[probe.name] = ENDED
      else if (error instanceof PriceFeedMockError) notAsked[probe.name] = withoutStop(error.shortMessage)
      else throw error
    }
  }
  return { seen, notAsked }
}
