// Small parts that several pages use.
import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Got } from '../../src/service/received.js'
import { readInstant } from './format'

/** Copies a text; its label reports the result for a moment. */
export function Copy({ text, label = 'Copy', of }: { text: string; label?: string; of?: string }) {
  const [state, setState] = useState<'idle' | 'copied' | 'failed'>('idle')
  useEffect(() => {
    if (state === 'idle') return undefined
    const timer = setTimeout(() => setState('idle'), 1500)
    return () => clearTimeout(timer)
  }, [state])
  const copy = () =>
    copyText(text).then(
      () => setState('copied'),
      () => setState('failed'),
    )
  return (
    <button
      type="button"
      class="button small copy"
      onClick={copy}
      aria-label={of === undefined ? undefined : `${label} ${of}`}
    >
      <span aria-live="polite">{state === 'copied' ? 'Copied' : state === 'failed' ? 'Select it' : label}</span>
    </button>
  )
}

/** Pages from an address that is not loopback have no clipboard. */
async function copyText(text: string): Promise<void> {
  if (navigator.clipboard !== undefined) return navigator.clipboard.writeText(text)
  const area = document.createElement('textarea')
  area.value = text
  document.body.append(area)
  area.select()
  const isCopied = document.execCommand('copy')
  area.remove()
  if (!isCopied) throw new Error('not copied')
}

/** A text in which `code` is set as code. */
export function Text({ children }: { children: string }) {
  return <>{children.split('`').map((part, i) => (i % 2 === 0 ? part : <code key={i}>{part}</code>))}</>
}

/** A text to copy. `short`: its lines are wrapped instead of scrolled. */
export function Snippet({ text, label, short = false }: { text: string; label: string; short?: boolean }) {
  return (
    <div class={short ? 'snippet short' : 'snippet'}>
      <div class="snippet-head">
        <span>{label}</span>
        <Copy text={text} of={label} />
      </div>
      <pre tabIndex={0}>{text}</pre>
    </div>
  )
}

/** A value with a name and a button to copy it. */
export function CopyRow({ name, value, note }: { name: string; value: string; note?: string | undefined }) {
  return (
    <div class="copy-row">
      <dt>{name}</dt>
      <dd>
        <code>{value}</code>
        {note === undefined ? <Copy text={value} of={name} /> : <span class="muted">{note}</span>}
      </dd>
    </div>
  )
}

export type Tone = 'good' | 'warn' | 'bad' | 'gap' | 'quiet'

/** A word with a colour and a sign of its own, so that the colour is not the only sign. */
export function Badge({ tone, title, children }: { tone: Tone; title?: string; children: ComponentChildren }) {
  return (
    <span class="badge" data-tone={tone} title={title}>
      {children}
    </span>
  )
}

/** The tone of a status: 200 with a body that is no good is not good. */
export function statusTone(status: number, got: Got = 'fresh'): Tone {
  if (got === 'stale') return 'warn'
  if (got === 'broken' || got === 'forged') return 'bad'
  return status === 0 || status >= 500 ? 'bad' : status >= 400 ? 'warn' : 'good'
}

/** The judgement on a reply: a shape, a word and a colour. */
export function GotMark({ got, why }: { got: Got; why?: string | undefined }) {
  return (
    <span class="got" data-got={got} title={why}>
      <svg viewBox="0 0 12 12" width="12" height="12" aria-hidden="true">
        <path d={GOT_SHAPES[got]} />
      </svg>
      {got}
    </span>
  )
}

/** A line, a ring, a cross, a triangle and a diamond. */
export const GOT_SHAPES: Readonly<Record<Got, string>> = {
  fresh: 'M6 1v10',
  stale: 'M2.5 6a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0-7 0',
  refused: 'M2.5 2.5l7 7m0-7l-7 7',
  broken: 'M6 1.5l5 9h-10z',
  forged: 'M6 1l5 5-5 5-5-5z',
}

/** A button whose action is confirmed where something would be lost: then `ask` has a question. */
export function Confirm({
  label,
  of,
  isDisabled = false,
  ask,
  onConfirm,
}: {
  label: string
  of?: string
  isDisabled?: boolean
  ask: () => Promise<string | undefined>
  onConfirm: () => unknown
}) {
  const ref = useRef<HTMLDialogElement>(null)
  const [question, setQuestion] = useState('')
  const press = async (): Promise<void> => {
    const asked = await ask()
    setQuestion(asked ?? '')
    if (asked === undefined) onConfirm()
    else ref.current?.showModal()
  }
  return (
    <>
      <button
        type="button"
        class={of === undefined ? 'button small' : 'button small danger'}
        disabled={isDisabled}
        aria-label={of === undefined ? undefined : `${label} ${of}`}
        onClick={press}
      >
        {label}
      </button>
      <dialog ref={ref} class="confirm" aria-label={label}>
        <form method="dialog">
          <p>{question}</p>
          <div class="form-end">
            <button type="submit" class="button danger" onClick={() => onConfirm()}>
              {label} now
            </button>
            <button type="submit" class="button">
              Cancel
            </button>
          </div>
        </form>
      </dialog>
    </>
  )
}

/** A section with a heading. */
export function Panel({
  title,
  side,
  children,
  class: name = '',
}: {
  title: ComponentChildren
  side?: ComponentChildren
  children: ComponentChildren
  class?: string
}) {
  return (
    <section class={`panel ${name}`}>
      <div class="panel-head">
        <h2>{title}</h2>
        {side}
      </div>
      {children}
    </section>
  )
}

/** Buttons of which one is pressed. */
export function Choice<T extends string>({
  label,
  options,
  value,
  onChange,
}: {
  label: string
  options: readonly T[]
  value: T
  onChange: (value: T) => void
}) {
  return (
    <fieldset class="choice" aria-label={label}>
      {options.map(option => (
        <button type="button" key={option} aria-pressed={option === value} onClick={() => onChange(option)}>
          {option}
        </button>
      ))}
    </fieldset>
  )
}

/** A field for a time in UTC, as ISO 8601 has it: that of the system has the form of the browser's language. */
export function InstantInput({
  value,
  onInput,
  ...more
}: {
  value: string
  onInput: (text: string) => void
  required?: boolean
  'aria-label'?: string
}) {
  return (
    <input
      {...more}
      placeholder="2025-07-24T10:48:25Z"
      spellcheck={false}
      autocomplete="off"
      value={value}
      onInput={event => {
        const input = event.currentTarget
        const isTime = input.value === '' || readInstant(input.value) !== undefined
        input.setCustomValidity(isTime ? '' : 'Write a time in UTC, such as 2025-07-24T10:48:25Z')
        onInput(input.value)
      }}
    />
  )
}

/** A field that narrows a list. */
export function Search({
  label,
  placeholder = 'Search',
  value,
  onInput,
}: {
  /** Read aloud instead of shown. */
  label: string
  placeholder?: string
  value: string
  onInput: (value: string) => void
}) {
  return (
    <label class="search">
      <span class="hidden">{label}</span>
      <input
        type="search"
        placeholder={placeholder}
        value={value}
        onInput={event => onInput(event.currentTarget.value)}
      />
    </label>
  )
}

/** Calls back when the tab or the request in the address changes. */
export function useAddress(follow: () => void): void {
  useEffect(() => {
    addEventListener('hashchange', follow)
    return () => removeEventListener('hashchange', follow)
  }, [])
}

/** The rows of a list that are in sight; the others are empty space. */
export function useVisibleRows(count: number, rowHeight: number) {
  const ref = useRef<HTMLDivElement>(null)
  const [view, setView] = useState({ top: 0, height: 600 })
  useEffect(() => {
    const element = ref.current!
    const measure = () =>
      setView(before => {
        // Steps of a row, so that scrolling within a row renders nothing.
        const next = { top: Math.floor(element.scrollTop / rowHeight), height: element.clientHeight }
        return next.top === before.top && next.height === before.height ? before : next
      })
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    element.addEventListener('scroll', measure, { passive: true })
    return () => {
      observer.disconnect()
      element.removeEventListener('scroll', measure)
    }
  }, [rowHeight])
  const first = Math.max(0, Math.min(view.top, count - 1) - 4)
  const last = Math.min(count, view.top + Math.ceil(view.height / rowHeight) + 5)
  return { ref, first, last, height: count * rowHeight }
}

/** Scrolls a list, whose head stays at the top, so that a row is in sight. */
export function scrollToRow(list: HTMLElement, index: number, rowHeight: number): void {
  const head = list.firstElementChild?.clientHeight ?? 0
  const top = index * rowHeight
  if (top < list.scrollTop) list.scrollTop = top
  else if (top + rowHeight + head > list.scrollTop + list.clientHeight)
    list.scrollTop = top + rowHeight + head - list.clientHeight
}
