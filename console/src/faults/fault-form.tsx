// A form for one fault. Its fields come from the JSON Schema of scenario files.

import { FORMS, SELECTORS } from 'virtual:fault-forms'
import { useLayoutEffect, useMemo, useState } from 'preact/hooks'
import { hasToken, keyToCopy, ROOT, type Session } from '../api'
import { addFault, faultsOf, replaceFault } from '../scenario'
import { chosenFeed, feeds, inspection, session, sessionId } from '../state'
import { useStore } from '../store'
import { Choice, Panel, Snippet, Text } from '../ui'
import type { FaultEntry } from './entry'
import { defaultsOf, EXAMPLES, toEntry, type Values, valuesOf } from './entry-form'
import type { Schema } from './schema'
import { SNIPPETS, type SnippetKind, type SnippetTarget, toScenarioFile, toSnippet } from './snippets'

const STAGES = [...new Set(FORMS.map(({ fault }) => fault.split('/')[0]!))]

/** The form of a new fault, with what to copy. */
export function FaultFormPanel() {
  const feed = useStore(chosenFeed)
  const [kind, setKind] = useState<SnippetKind>('Vitest')
  const { form, entry, problem, fields } = useFaultForm({ fault: 'market/stale' }, feed)
  const target = useTarget()

  return (
    <Panel title="Add one fault">
      <form
        class="fault-form"
        onSubmit={event => {
          event.preventDefault()
          if (problem === '') addFault(entry)
        }}
      >
        {fields}
        <div class="wide form-end">
          <button type="submit" class="button primary" disabled={problem !== ''}>
            Add to the running scenario
          </button>
          <span class="muted" role="status">
            {problem || 'From now on. The other windows stay where they are.'}
          </span>
        </div>
      </form>
      <div class="snippets">
        {problem === '' ? (
          <>
            <Snippet label="Scenario file" text={toScenarioFile({ faults: [entry] }, form.description)} />
            <Choice label="Snippet" options={SNIPPETS} value={kind} onChange={setKind} />
            <Snippet label={kind} text={toSnippet(kind, [entry], target)} />
          </>
        ) : (
          <p class="muted">Nothing to copy yet: {problem}</p>
        )}
      </div>
    </Panel>
  )
}

/** The session and the chosen feed, for snippets. */
export function useTarget(): SnippetTarget {
  const id = useStore(sessionId)
  const { apiKey = '', baseUrl = '', historyUrl = '' }: Partial<Session> = useStore(session) ?? {}
  return {
    url: ROOT,
    needsToken: hasToken(),
    session: id,
    baseUrl,
    historyUrl,
    apiKey: keyToCopy(apiKey),
    feed: useStore(chosenFeed),
  }
}

/** The form of a fault that runs. */
export function FaultEditor({ index }: { index: number }) {
  const before = faultsOf(useStore(inspection))[index]
  const { entry, problem, fields } = useFaultForm(before ?? { fault: 'market/stale' })
  if (before === undefined) return null
  return (
    <form
      class="fault-form"
      onSubmit={event => {
        event.preventDefault()
        if (problem === '') replaceFault(index, () => entry, `Changed ${entry.fault}.`)
      }}
    >
      {fields}
      <div class="wide form-end">
        <button
          type="submit"
          class="button primary"
          disabled={problem !== '' || JSON.stringify(entry) === JSON.stringify(before)}
        >
          Change it
        </button>
        <span class="muted" role="status">
          {problem}
        </span>
      </div>
    </form>
  )
}

/** The fields of a fault, and the fault that they describe. They follow `start` as long as it changes. */
function useFaultForm(start: FaultEntry, feed = '') {
  const [name, setName] = useState(start.fault)
  const [values, setValues] = useState<Values>(() => valuesOf(start))
  const key = JSON.stringify(start)
  // Before any event: a later effect would take back a choice made at once.
  useLayoutEffect(() => {
    setName(start.fault)
    setValues(valuesOf(start))
  }, [key])
  const form = FORMS.find(({ fault }) => fault === name)!
  const all: Values = { feeds: form.selectors.includes('feeds') ? feed : '', ...defaultsOf(form.options), ...values }
  const catalogue = useStore(feeds)
  const { entry, problem } = useMemo(() => {
    const ids = new Set(catalogue.map(one => one.id.toUpperCase()))
    return toEntry(form, SELECTORS, all, named => ids.size === 0 || ids.has(named.toUpperCase()))
  }, [form, JSON.stringify(all), catalogue])
  const set = (field: string, value: string) => setValues(before => ({ ...before, [field]: value }))
  const fields = (
    <>
      <label class="field wide">
        <span>Fault</span>
        <select
          aria-label="Fault"
          value={name}
          onChange={event => {
            setName(event.currentTarget.value)
            setValues(before => Object.fromEntries(Object.entries(before).filter(([field]) => KEPT.includes(field))))
          }}
        >
          {STAGES.map(stage => (
            <optgroup key={stage} label={stage}>
              {FORMS.filter(({ fault }) => fault.startsWith(`${stage}/`)).map(({ fault }) => (
                <option key={fault} value={fault}>
                  {fault}
                </option>
              ))}
            </optgroup>
          ))}
        </select>
      </label>
      <p class="wide muted">
        <Text>{form.description}</Text>
      </p>
      {Object.entries(form.options.properties ?? {}).map(([option, schema]) => (
        <SchemaField
          key={`${name} ${option}`}
          name={option}
          schema={schema}
          required={form.options.required?.includes(option) ?? false}
          value={all[`options.${option}`] ?? ''}
          onChange={value => set(`options.${option}`, value)}
        />
      ))}
      {form.selectors.map(selector => (
        <SchemaField
          key={selector}
          name={selector}
          schema={SELECTORS[selector]!}
          required={false}
          value={all[selector] ?? ''}
          onChange={value => set(selector, value)}
        />
      ))}
    </>
  )
  return { form, entry, problem, fields }
}

/** The fields that every kind of fault has. */
const KEPT = ['feeds', 'from', 'for', 'repeat']

interface SchemaFieldProps {
  readonly name: string
  readonly schema: Schema
  readonly required: boolean
  readonly value: string
  readonly onChange: (value: string) => void
}

/** The field of one value: the form of the input follows from its schema. */
function SchemaField({ name, schema, required, value, onChange }: SchemaFieldProps) {
  const catalogue = useStore(feeds)
  const choices = schema.items?.enum
  if (choices !== undefined) {
    const chosen = value === '' ? [] : value.split(',')
    return (
      <fieldset class="field wide checks">
        <legend>{name}</legend>
        <div>
          {choices.map(choice => (
            <label key={choice}>
              <input
                type="checkbox"
                checked={chosen.includes(choice)}
                onChange={event =>
                  onChange(
                    choices.filter(one => (one === choice ? event.currentTarget.checked : chosen.includes(one))).join(),
                  )
                }
              />
              {choice}
            </label>
          ))}
        </div>
        <small>
          <Text>{schema.description ?? ''}</Text>
        </small>
      </fieldset>
    )
  }
  const isNumber = schema.type === 'number' || schema.type === 'integer'
  const isList = schema.items?.type === 'object'
  return (
    <label class={isList ? 'field wide' : 'field'}>
      <span>
        {name}
        {required && ' (needed)'}
      </span>
      {choicesOf(schema) !== undefined ? (
        <select
          aria-label={name}
          aria-describedby={`about-${name}`}
          value={value}
          onChange={event => onChange(event.currentTarget.value)}
        >
          {!required && schema.default === undefined && <option value="">default</option>}
          {choicesOf(schema)!.map(choice => (
            <option key={choice}>{choice}</option>
          ))}
        </select>
      ) : isList ? (
        <textarea
          aria-label={name}
          aria-describedby={`about-${name}`}
          rows={3}
          spellcheck={false}
          required={required}
          value={value}
          placeholder={'[{"at": "1m", "price": 45000}]'}
          onInput={event => onChange(event.currentTarget.value)}
        />
      ) : (
        <input
          aria-label={name}
          aria-describedby={`about-${name}`}
          type={isNumber ? 'number' : 'text'}
          required={required}
          min={schema.minimum}
          max={schema.maximum}
          step={schema.type === 'integer' ? 1 : 'any'}
          pattern={schema.type === 'string' ? schema.pattern : undefined}
          maxLength={schema.maxLength}
          list={name === 'feeds' ? 'feed-ids' : undefined}
          placeholder={PLACEHOLDERS[name]}
          spellcheck={false}
          value={value}
          onInput={event => onChange(event.currentTarget.value)}
        />
      )}
      <small id={`about-${name}`}>
        <Text>{schema.description ?? ''}</Text>
      </small>
      {name === 'feeds' && (
        <datalist id="feed-ids">
          {catalogue.slice(0, 600).map(feed => (
            <option key={feed.id} value={feed.id} />
          ))}
        </datalist>
      )}
    </label>
  )
}

/** The values of a field with few of them. */
const choicesOf = ({ type, enum: values }: Schema): readonly string[] | undefined =>
  type === 'boolean' ? ['true', 'false'] : values

const PLACEHOLDERS: Readonly<Record<string, string>> = { ...EXAMPLES, feeds: 'all feeds', from: '0s', chance: '1' }
