// The probes of signatures: the layouts of both forms, the form of a batch, and the signers.
import { oncePerObject } from '../caches.js'
import type { Layout } from '../settings/layouts.js'
import { testSigners } from '../signing/signers.js'
import { type FoundLayout, searchLayout } from './layout-search.js'
import { type Asking, type OptionPatch, type Probe, type ProbeContext, type Question, type Seen, to } from './probe.js'
import { batchFormOf, pairOf, type SignedPrices, signaturesOf, signersOf, toLayout } from './signed-bytes.js'

type Form = 'svm' | 'evm'
/** A found layout with all signatures of its form, or the reason why there is none. */
type Searched = { readonly found: FoundLayout; readonly signatures: readonly SignedPrices[] } | string

/** Times that a service is asked again for another price. */
const MAX_REPEATS = 4

const searchedIn = oncePerObject((_: ProbeContext) => new Map<Form, Searched>())

function* layoutOf(context: ProbeContext, form: Form): Asking<Searched> {
  const searched = searchedIn(context)
  const result = searched.get(form) ?? (yield* search(context, form))
  searched.set(form, result)
  return result
}

function* search(context: ProbeContext, form: Form): Asking<Searched> {
  const [first, second = first] = context.feeds
  const ask = (id: string, more?: Partial<Question>): Question =>
    form === 'svm' ? to.latest(id, more) : to.evm([id], more)
  for (const id of [first!, second!]) yield ask(id)
  const read = () => signaturesOf(context.answers, form)
  for (let i = 0; i < MAX_REPEATS && read().length > 0 && pairOf(read()) === undefined; i++) {
    yield { pause: 2 }
    yield ask(first!, { again: true })
  }
  const signatures = read()
  const pair = pairOf(signatures)
  if (signatures.length === 0) return 'no signature was seen'
  if (pair === undefined) return 'one signature only, and a search needs two'
  const found = yield* searchLayout(pair, context.layouts, context.maxCandidates)
  return found === undefined ? 'none of the layouts that were tried' : { found, signatures }
}

const layoutProbe = (form: Form): Probe => ({
  name: `signed bytes, ${form}`,
  page: 'docs/signatures.md',
  option: `signing.${form}`,
  *ask(context) {
    const searched = yield* layoutOf(context, form)
    if (typeof searched === 'string') return searched
    const { found, signatures } = searched
    return {
      ...(toLayout(found, signatures) as unknown as Readonly<Record<string, Seen>>),
      ...(found.transform === undefined ? {} : { values: found.transform.name }),
      ...(signatures.some(({ isUpperCase }) => isUpperCase) ? { letters: 'upper case' } : {}),
    }
  },
  toPatch(seen: string | (Layout & { values?: string; letters?: string })): OptionPatch | undefined {
    if (typeof seen === 'string') return undefined
    const { values, letters, ...layout } = seen
    if (values !== undefined || letters !== undefined || (form === 'evm' && layout.signature === 'rs')) return undefined
    const name = `observed-${form}`
    return { signing: { [form]: name, layouts: { [name]: layout } } }
  },
})

/** The probes of signatures. They come last, because they read the answers to all others. */
export const SIGNED_PROBES: readonly Probe[] = [
  layoutProbe('svm'),
  layoutProbe('evm'),
  {
    name: 'signed bytes of a batch',
    page: 'docs/signatures.md',
    *ask(context) {
      const searched = yield* layoutOf(context, 'svm')
      if (typeof searched === 'string') return searched
      yield to.batch(context.feeds)
      const { found, signatures } = searched
      const signers = signersOf(found, signatures)
      const batches = signaturesOf(context.answers, 'svm').filter(({ ticks }) => ticks.length > 1)
      const forms = batches.map(batch => batchFormOf(found, batch, signers) ?? 'another way')
      return [...new Set(forms)].join(', ') || 'no batch of several prices was seen'
    },
  },
  {
    name: 'signers',
    page: 'docs/signatures.md',
    option: 'signer',
    isOwn: true,
    *ask(context) {
      const found: string[] = []
      for (const form of ['svm', 'evm'] as const) {
        const searched = yield* layoutOf(context, form)
        if (typeof searched !== 'string') found.push(...signersOf(searched.found, searched.signatures))
      }
      return [...new Set(found)]
    },
    toPatch(seen: readonly string[]) {
      const signer = testSigners().find(({ address }) => seen.includes(address))?.number
      return signer === undefined ? undefined : { signer }
    },
  },
]
