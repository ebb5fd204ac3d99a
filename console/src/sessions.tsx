// The sessions of the server: list, create, switch, delete, and what an app needs to use one.
import { useState } from 'preact/hooks'
import { admin, type Session } from './api'
import { formatInstant, matches, plural, readInstant, toInstant } from './format'
import { nameOf } from './scenario'
import { act, deleteSession, scenarios, session, sessionId, switchSession, usePoll } from './state'
import { useStore } from './store'
import { Badge, Confirm, CopyRow, InstantInput, Panel, Search, Snippet } from './ui'

/** The form of an id. A browser shows it beside its own message. */
const ID_FORM = 'Letters, digits, ".", "_" and "-", at most 64; the first is a letter or a digit.'

/** Rows that are rendered. */
const ROWS = 50

/** The page. */
export function SessionsPage() {
  const current = useStore(session)
  return (
    <div class="two-columns">
      <div class="stack">
        <CreatePanel />
        <SessionList />
      </div>
      {current !== undefined && <ConnectPanel current={current} />}
    </div>
  )
}

function SessionList() {
  const id = useStore(sessionId)
  const [list, setList] = useState<readonly Session[]>([])
  const [search, setSearch] = useState('')
  usePoll(async () => setList((await admin.sessions()).sessions), 2000, [id])
  const found = list.filter(({ id, seed, scenario }) => matches(search, id, seed, scenario))
  return (
    <Panel
      title="Sessions"
      side={
        <>
          <span class="muted count">{plural(list.length, 'session')}</span>
          <Search label="Search sessions" value={search} onInput={setSearch} />
        </>
      }
    >
      <ul class="session-list">
        {found.slice(0, ROWS).map(one => (
          <li key={one.id} aria-current={one.id === id}>
            <div class="session-text">
              <strong>{one.id}</strong> {one.id === id && <Badge tone="good">shown</Badge>}
              <div class="muted">
                seed {one.seed} · {nameOf(one.scenario)} · {formatInstant(one.clock.now)}
                {one.clock.frozen ? ', frozen' : ''} · {plural(one.requests, 'request')}
              </div>
            </div>
            <button
              type="button"
              class="button small"
              disabled={one.id === id}
              aria-label={`Switch to ${one.id}`}
              onClick={() => switchSession(one.id)}
            >
              Switch
            </button>
            <Confirm
              label="Delete"
              of={one.id}
              isDisabled={one.id === 'default'}
              ask={async () =>
                `Delete ${one.id}? Its ${plural(one.requests, 'request')}, prices and faults are gone, and that cannot be undone.`
              }
              onConfirm={() => deleteSession(one.id)}
            />
          </li>
        ))}
        {list.length > 0 && found.length === 0 && <li class="muted">No session matches "{search}".</li>}
      </ul>
      {found.length > ROWS && <p class="muted">and {found.length - ROWS} more: search for them</p>}
    </Panel>
  )
}

function CreatePanel() {
  const all = useStore(scenarios)
  const [fields, setFields] = useState({ id: '', seed: '', scenario: 'calm', at: '', frozen: false })
  const set = (part: Partial<typeof fields>) => setFields(before => ({ ...before, ...part }))
  const create = async (): Promise<void> => {
    const { id, seed, scenario, at, frozen } = fields
    const clock = {
      ...(at === '' ? {} : { at: toInstant(readInstant(at)!) }),
      ...(frozen ? { frozen } : {}),
    }
    const body = {
      ...(id === '' ? {} : { id }),
      ...(seed === '' ? {} : { seed }),
      ...(scenario === 'calm' ? {} : { scenario }),
      ...(Object.keys(clock).length === 0 ? {} : { clock }),
    }
    let made: Session | undefined
    if (!(await act('Created the session.', async () => (made = await admin.createSession(body))))) return
    switchSession(made!.id)
    set({ id: '' })
  }
  return (
    <Panel title="Create a session">
      <form
        class="fault-form"
        onSubmit={event => {
          event.preventDefault()
          void create()
        }}
      >
        <label class="field">
          <span>Id</span>
          <input
            pattern="[A-Za-z0-9][A-Za-z0-9._\-]{0,63}"
            title={ID_FORM}
            aria-label="Id"
            aria-describedby="about-id"
            value={fields.id}
            placeholder="made up if empty"
            onInput={event => set({ id: event.currentTarget.value })}
          />
          <small id="about-id">{ID_FORM}</small>
        </label>
        <label class="field">
          <span>Seed</span>
          <input
            value={fields.seed}
            placeholder="that of the server"
            onInput={event => set({ seed: event.currentTarget.value })}
          />
        </label>
        <label class="field">
          <span>Scenario</span>
          <select value={fields.scenario} onChange={event => set({ scenario: event.currentTarget.value })}>
            {all.map(({ name }) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        <label class="field">
          <span>Clock starts at (UTC)</span>
          <InstantInput value={fields.at} onInput={at => set({ at })} />
        </label>
        <label class="check wide">
          <input
            type="checkbox"
            checked={fields.frozen}
            onChange={event => set({ frozen: event.currentTarget.checked })}
          />
          Frozen clock
        </label>
        <div class="wide form-end">
          <button type="submit" class="button primary">
            Create and switch
          </button>
        </div>
      </form>
    </Panel>
  )
}

function ConnectPanel({ current }: { current: Session }) {
  const { id, baseUrl, historyUrl, apiKey, signer } = current
  const isHidden = apiKey.startsWith('(')
  const env = [
    `PRICE_FEED_BASE_URL=${baseUrl}`,
    `PRICE_FEED_HISTORY_URL=${historyUrl}`,
    `PRICE_FEED_API_KEY=${isHidden ? 'the key that you gave to --api-key' : apiKey}`,
    `PRICE_FEED_SIGNER=${signer.address}`,
  ].join('\n')
  return (
    <Panel title={`Connect your app to ${id}`}>
      <dl class="copy-list">
        <CopyRow name="Base URL" value={baseUrl} />
        <CopyRow name="History URL" value={historyUrl} />
        <CopyRow
          name="API key"
          value={apiKey}
          note={
            isHidden
              ? 'It is the key of your own that you gave to --api-key, or in the body that created the session.'
              : undefined
          }
        />
        <CopyRow name="Signer address" value={signer.address} />
        <CopyRow name="Signer public key" value={signer.publicKey} />
      </dl>
      <p class="muted">
        {signer.testKey === null
          ? 'A private key of your own signs.'
          : `Test key ${signer.testKey} signs. It is public and worthless.`}
      </p>
      <Snippet short label=".env" text={env} />
    </Panel>
  )
}
