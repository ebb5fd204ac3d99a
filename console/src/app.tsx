// The frame of the page: header, tabs, clock, messages, and the prompt for the token.
import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { admin, connection, hasToken, setToken } from './api'
import { followAddress } from './axis/shown'
import { followChanges } from './changes'
import { ClockBar } from './clock-bar'
import { formatInstant, formatTime, plural } from './format'
import { useJournal } from './journal/live'
import { JournalPage } from './journal/page'
import { late } from './late'
import { BreakPanel } from './market/break-panel'
import { ReplyPanel } from './market/reply-panel'
import { MarketTable } from './market/table'
import { Palette } from './palette'
import { endScenario, nameOf } from './scenario'
import { SessionsPage } from './sessions'
import { SignaturePage } from './signature/inspector'
import {
  followSession,
  inspection,
  isGone,
  notice,
  sessionId,
  shownSecond,
  switchSession,
  usePoll,
  version,
} from './state'
import { useStore } from './store'
import { setTheme, type Theme, theme } from './theme'
import { Badge, Panel, useAddress } from './ui'

const FaultsPage = late(async () => (await import('./faults/page')).FaultsPage)
const ReportPage = late(async () => (await import('./report/page')).ReportPage)
const ReferencePage = late(async () => (await import('./reference')).ReferencePage)
const AxisPage = late(async () => (await import('./axis/page')).AxisPage)

const TABS: readonly (readonly [path: string, title: string, page: ComponentType])[] = [
  ['axis', 'Axis', MarketPage],
  ['faults', 'Faults', FaultsPage],
  ['journal', 'Journal', JournalPage],
  ['report', 'Report', ReportPage],
  ['signatures', 'Signatures', SignaturePage],
  ['sessions', 'Sessions', SessionsPage],
  ['api', 'API', ReferencePage],
]

/** The page. */
export function App() {
  const path = useTab()
  const state = useStore(connection)
  useEffect(followSession, [])
  useEffect(followChanges, [])
  useJournal()
  useEffect(followAddress, [])
  const [, title, Page] = TABS.find(([name]) => name === path) ?? TABS[0]!
  useEffect(() => {
    document.title = `${title} · price-feed-mock`
  }, [title])
  return (
    <>
      <a class="skip" href="#main" onClick={event => skip(event)}>
        Skip to the content
      </a>
      <header class="top">
        <a class="brand" href="#/axis">
          <Logo />
          <span>price-feed-mock</span>
        </a>
        <nav aria-label="Pages">
          {TABS.map(([name, label]) => (
            <a key={name} href={`#/${name}`} aria-current={name === path ? 'page' : undefined}>
              {label}
            </a>
          ))}
        </nav>
        <div class="top-end">
          <Find />
          <SessionPicker />
          <ThemePicker />
        </div>
      </header>
      <div class="status-bar">
        <ClockBar />
        <ScenarioStatus />
      </div>
      <Trouble />
      <main id="main" tabIndex={-1}>
        <h1 class="hidden">{title}</h1>
        {state === 'token' ? <TokenPrompt /> : <Page />}
      </main>
      <Notices />
    </>
  )
}

/** Tells why the page cannot read its session, until it can. The last reply stays in sight. */
function Trouble() {
  const isOffline = useStore(connection) === 'offline'
  const isDeleted = useStore(isGone)
  const id = useStore(sessionId)
  const second = useStore(shownSecond)
  if (!isOffline && !isDeleted) return null
  return (
    <p class="banner" role="alert">
      {isOffline
        ? 'The server does not answer. The page tries again every second.'
        : `The session ${id} no longer exists.`}
      {second !== undefined && ` The page shows ${formatInstant(second)} UTC. `}
      {!isOffline && (
        <button type="button" class="link" onClick={() => switchSession('default')}>
          Go to default
        </button>
      )}
    </p>
  )
}

function MarketPage() {
  return (
    <div class="market-page">
      <AxisPage />
      <BreakPanel />
      <ReplyPanel />
      <MarketTable />
    </div>
  )
}

/** The tab in the address, such as `#/journal`. */
function useTab(): string {
  const read = () => /^#\/(\w+)/.exec(location.hash)?.[1] ?? 'axis'
  const [path, setPath] = useState(read)
  useAddress(() => setPath(read()))
  return path
}

/** Moves the focus, because the hash of the address is the tab. */
function skip(event: Event): void {
  event.preventDefault()
  document.querySelector<HTMLElement>('#main')?.focus()
}

function ScenarioStatus() {
  const found = useStore(inspection)
  if (found === undefined) return null
  const { faults, overrides, scenario } = found
  const active = faults.filter(fault => fault.active).length
  const name = nameOf(scenario.name)
  const isRunning = faults.length > 0 && scenario.endedAt === undefined
  return (
    <section class="scenario-status" aria-label="Running scenario">
      {overrides.length > 0 && (
        <a class="badge" data-tone="warn" href="#/axis" title={`${plural(overrides.length, 'price')} set by hand`}>
          ◆ {overrides.length} set
        </a>
      )}
      <Badge tone={active > 0 ? 'warn' : 'good'} title={name}>
        {scenario.endedAt !== undefined
          ? `ended at ${formatTime(scenario.endedAt)}`
          : faults.length === 0
            ? 'no faults'
            : `${active} of ${plural(faults.length, 'fault')} active`}
      </Badge>
      <span class="scenario-name" title={name}>
        {name}
      </span>
      {isRunning && (
        <button
          type="button"
          class="button small danger"
          title="Ends the scenario now. What it did to prices until now stays."
          onClick={endScenario}
        >
          End
        </button>
      )}
    </section>
  )
}

function SessionPicker() {
  const id = useStore(sessionId)
  const isReady = useStore(connection) === 'ready'
  const [ids, setIds] = useState<readonly string[]>([id])
  usePoll(
    async () => {
      if (isReady) setIds((await admin.sessions()).sessions.map(one => one.id))
    },
    3000,
    [isReady],
  )
  return (
    <label class="inline-label">
      <span>Session</span>
      <select value={id} onChange={event => switchSession(event.currentTarget.value)}>
        {[...new Set([...ids, id])].map(one => (
          <option key={one}>{one}</option>
        ))}
      </select>
    </label>
  )
}

/** Opens the palette. */
function Find() {
  const [opened, setOpened] = useState(0)
  const [isUsed, setIsUsed] = useState(false)
  const press = (): void => {
    setIsUsed(true)
    setOpened(count => count + 1)
  }
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== 'k') return
      event.preventDefault()
      press()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
  return (
    <>
      <button type="button" class="button small find" aria-keyshortcuts="Control+K" onClick={press}>
        Find <kbd>Ctrl K</kbd>
      </button>
      {isUsed && <Palette opened={opened} onClose={() => setIsUsed(false)} />}
    </>
  )
}

function ThemePicker() {
  const chosen = useStore(theme)
  return (
    <label class="inline-label">
      <span class="hidden">Theme</span>
      <select value={chosen} onChange={event => setTheme(event.currentTarget.value as Theme)}>
        <option value="auto">Auto</option>
        <option value="light">Light</option>
        <option value="dark">Dark</option>
      </select>
    </label>
  )
}

function TokenPrompt() {
  const [token, setText] = useState('')
  const isRefused = hasToken()
  return (
    <Panel title="This server needs a token" class="narrow">
      <p class="muted">
        It was started with <code>--admin-token</code>. This tab keeps the token until it is closed.
      </p>
      <form
        class="inline-form"
        onSubmit={event => {
          event.preventDefault()
          setToken(token)
        }}
      >
        <label class="field grow">
          <span>Admin token</span>
          <input
            type="password"
            required
            autocomplete="off"
            aria-describedby={isRefused ? 'token-refused' : undefined}
            value={token}
            onInput={event => setText(event.currentTarget.value)}
          />
        </label>
        <button type="submit" class="button primary">
          Open
        </button>
      </form>
      {isRefused && (
        <p id="token-refused" class="refused" role="alert">
          The server refused this token.
        </p>
      )}
    </Panel>
  )
}

const NOTICE_MS = 4000
const UNDO_MS = 20_000
const ERROR_MS = 7000

function Notices() {
  const shown = useStore(notice)
  useEffect(() => {
    if (shown === undefined) return undefined
    const timer = setTimeout(() => notice.set(undefined), shown.isError ? ERROR_MS : shown.undo ? UNDO_MS : NOTICE_MS)
    return () => clearTimeout(timer)
  }, [shown])
  // A message belongs to the tab of its action.
  useAddress(() => notice.set(undefined))
  const number = useStore(version)
  return (
    <>
      <div class="notices" role="status" aria-live="polite">
        {shown !== undefined && (
          <div class="notice" data-error={shown.isError}>
            <span>{shown.text}</span>
            {shown.undo !== undefined && (
              <button type="button" class="button small" onClick={shown.undo}>
                Undo
              </button>
            )}
            <button type="button" class="button small" onClick={() => notice.set(undefined)}>
              Close
            </button>
          </div>
        )}
      </div>
      <footer class="foot muted">
        <span>price-feed-mock {number}</span>
        <span>Simulated prices, worthless keys. Never point production here.</span>
      </footer>
    </>
  )
}

function Logo() {
  return (
    <svg viewBox="0 0 16 16" width="20" height="20" aria-hidden="true">
      <path class="logo-line" d="M4 2v12M12 2v12" />
      <rect class="logo-body" x="2" y="5" width="4" height="6" rx="1" />
      <rect class="logo-body" x="10" y="4" width="4" height="5" rx="1" />
    </svg>
  )
}
