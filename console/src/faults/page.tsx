// The page of faults: what runs, all scenarios, and one fault added by hand.
import { useState } from 'preact/hooks'
import { admin, type ScenarioSummary } from '../api'
import { secondsOf } from '../axis/view'
import { formatAge, formatTime, matches, plural } from '../format'
import { faultsOf, groupOf, removeFault, startScenario, stopScenario } from '../scenario'
import { inspection, scenarios, sessionId, usePart } from '../state'
import { useStore } from '../store'
import { Badge, Choice, Panel, Search, Snippet, Text } from '../ui'
import { FaultFormPanel, useTarget } from './fault-form'
import { SNIPPETS, type SnippetKind, toScenarioFile, toSnippet } from './snippets'

/** The page. */
export function FaultsPage() {
  return (
    <div class="two-columns">
      <div class="stack">
        <RunningPanel />
        <ScenariosPanel />
      </div>
      <FaultFormPanel />
    </div>
  )
}

function RunningPanel() {
  const found = useStore(inspection)
  const target = useTarget()
  const id = useStore(sessionId)
  const [kind, setKind] = useState<SnippetKind | 'JSON'>('JSON')
  // To the end of the clock: windows in sight of the axis do not tell whether a fault is over. Joined, because only the first counts.
  const ahead = usePart(`faults ahead ${id}`, (session, second) => {
    const { from, to } = secondsOf({ from: second + 1, to: Number.POSITIVE_INFINITY })
    return admin.inspect(session, from, to, 99_999_999)
  })
  if (found === undefined) return <Panel title="Running now">…</Panel>
  const { scenario, faults, now } = found
  const entries = faultsOf(found)
  return (
    <Panel
      title="Running now"
      side={
        <button type="button" class="button small danger" disabled={scenario.name === 'calm'} onClick={stopScenario}>
          Stop all faults
        </button>
      }
    >
      <p>
        <strong>{scenario.name === 'inline' ? 'Your own faults' : scenario.name}</strong>
        <span class="muted">
          {' '}
          since {formatTime(scenario.appliedAt)}, {formatAge(now - scenario.appliedAt)} ago
        </span>
      </p>
      {scenario.name !== 'inline' && (
        <p class="muted">
          <Text>{scenario.why}</Text>
        </p>
      )}
      {scenario.endedAt !== undefined && <p>Ended at {formatTime(scenario.endedAt)}: no fault acts any more.</p>}
      {faults.length === 0 && <p class="muted">No faults. The service works normally.</p>}
      <ul class="fault-list">
        {faults.map(({ fault, planned, active, hits, lastMiss }, i) => {
          const next = ahead?.faults[i]?.windows[0]
          return (
            <li key={i}>
              <div class="fault-list-head">
                <Badge tone={active ? 'warn' : 'quiet'}>
                  {active
                    ? 'active'
                    : next !== undefined
                      ? `in ${formatAge(next.from - now)}`
                      : ahead === undefined
                        ? 'not now'
                        : 'over'}
                </Badge>
                <code>{fault}</code>
                <button
                  type="button"
                  class="button small"
                  aria-label={`Remove ${fault}`}
                  onClick={() => removeFault(entries[i]!)}
                >
                  Remove
                </button>
              </div>
              <div class="muted">
                {planned === '' ? 'all requests' : planned} · applied to{' '}
                {plural(hits, 'reply').replace('replys', 'replies')}
                {hits === 0 && lastMiss !== undefined ? `, not to the last one: ${lastMiss}` : ''}
              </div>
            </li>
          )
        })}
      </ul>
      {entries.length > 0 && (
        <div class="snippets">
          <Choice label="Copy as" options={['JSON', ...SNIPPETS] as const} value={kind} onChange={setKind} />
          <Snippet
            label={kind === 'JSON' ? 'Scenario file' : kind}
            text={
              kind === 'JSON'
                ? toScenarioFile({ ...scenario.source, faults: entries })
                : toSnippet(kind, entries, target)
            }
          />
        </div>
      )}
    </Panel>
  )
}

function ScenariosPanel() {
  const all = useStore(scenarios)
  const running = useStore(inspection)?.scenario.name
  const [search, setSearch] = useState('')
  const shown = all.filter(({ name, title, why }) => matches(search, name, title, why))
  const groups = [...new Set(shown.map(({ stages }) => groupOf(stages)))]
  return (
    <Panel title="Scenarios" side={<Search label="Search scenarios" value={search} onInput={setSearch} />}>
      <div class="scenario-scroll" tabIndex={0} role="region" aria-label="All scenarios">
        {groups.map(group => (
          <section key={group}>
            <h3>{TITLES[group] ?? group}</h3>
            <ScenarioList scenarios={shown.filter(({ stages }) => groupOf(stages) === group)} running={running} />
          </section>
        ))}
        {shown.length === 0 && <p class="muted">No scenario matches "{search}".</p>}
      </div>
    </Panel>
  )
}

const TITLES: Readonly<Record<string, string>> = {
  none: 'No faults',
  market: 'Market',
  network: 'Network',
  signature: 'Signature',
  candles: 'Candles',
  several: 'Several of them',
}

function ScenarioList({ scenarios, running }: { scenarios: readonly ScenarioSummary[]; running: string | undefined }) {
  return (
    <ul class="scenario-list">
      {scenarios.map(({ name, title, why, faults }) => (
        <li key={name} aria-current={name === running}>
          <div class="scenario-text">
            <strong>{title}</strong>
            <p class="muted">
              <Text>{why}</Text>
            </p>
            <code>{name}</code> <span class="muted">{plural(faults, 'fault')}</span>
          </div>
          <button
            type="button"
            class="button small"
            aria-label={`${name === running ? 'Restart' : 'Start'} ${name}`}
            onClick={() => startScenario(name)}
          >
            {name === running ? 'Restart' : 'Start'}
          </button>
        </li>
      ))}
    </ul>
  )
}
