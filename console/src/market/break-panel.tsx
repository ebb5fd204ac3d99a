// Breaks the chosen feed with one press, or the whole service with a scenario.

import { useState } from 'preact/hooks'
import { clearPrices, setPrice as setPriceOf } from '../changes'
import type { FaultEntry } from '../faults/entry'
import { formatPrice, formatTime } from '../format'
import { addFault, isRunning, removeFault, setPace, startScenario, stopScenario } from '../scenario'
import { chosenFeed, inspection, scenarios } from '../state'
import { useStore } from '../store'
import { Panel, Text } from '../ui'

const PROTECTED = ['batch', 'history', 'evm', 'latest']

/** Faults of one press: those of a feed, and those of the service. */
const quickFaults = (feed: string): readonly (readonly [label: string, fault: FaultEntry])[] => [
  ['Make it stale', { fault: 'market/stale', feeds: [feed], options: { age: '5m' } }],
  ['Remove its price', { fault: 'market/gap', feeds: [feed] }],
  ['Forge its signature', { fault: 'signature/wrong-signer', feeds: [feed] }],
  ['Refuse my key', { fault: 'reply/status', endpoints: PROTECTED, options: { status: 401 } }],
  ['Slow replies', { fault: 'reply/latency', options: { ms: 3000 } }],
  ['Cut the connection', { fault: 'wire/reset' }],
]

/** The panel. */
export function BreakPanel() {
  const feed = useStore(chosenFeed)
  const found = useStore(inspection)
  const all = useStore(scenarios)
  const [typed, setTyped] = useState({ feed, text: '' })
  const [picked, setPicked] = useState('')
  const running = found?.scenario.name ?? ''
  const shown = all.find(({ name }) => name === (picked || running))
  const overrides = found?.overrides ?? []
  // A price is meant for the feed for which it was typed.
  const price = typed.feed === feed ? typed.text : ''

  return (
    <Panel
      title="Break it"
      class="break-panel"
      side={
        <button
          type="button"
          class="button small danger"
          disabled={running === '' || running === 'calm'}
          onClick={stopScenario}
        >
          Stop all faults
        </button>
      }
    >
      <form
        class="inline-form"
        onSubmit={event => {
          event.preventDefault()
          void setPriceOf(feed, Number(price))
        }}
      >
        <label class="field grow">
          <span>Set the price of {feed}</span>
          <input
            type="number"
            inputMode="decimal"
            min="0"
            step="any"
            required
            value={price}
            placeholder="50000"
            onInput={event => setTyped({ feed, text: event.currentTarget.value })}
          />
        </label>
        <button type="submit" class="button">
          Set
        </button>
      </form>
      {overrides.length > 0 && (
        <ul class="set-prices" aria-label="Prices that were set">
          {overrides.map(one => (
            <li key={one.feed}>
              <span class="set-mark">◆</span> {one.feed} {formatPrice(one.price)}
              <span class="muted">since {formatTime(one.since)}</span>
              <button
                type="button"
                class="button small"
                aria-label={`Clear the price of ${one.feed}`}
                onClick={() => clearPrices([one.feed])}
              >
                Clear
              </button>
            </li>
          ))}
          {overrides.length > 1 && (
            <li>
              <button type="button" class="button small" onClick={() => clearPrices(overrides.map(one => one.feed))}>
                Clear all
              </button>
            </li>
          )}
        </ul>
      )}
      <div class="quick" role="group" aria-label={`Faults of ${feed} and of the service`}>
        {quickFaults(feed).map(([label, fault]) => {
          const isOn = isRunning(found, fault)
          return (
            <button
              type="button"
              class="button toggle"
              key={label}
              aria-pressed={isOn}
              title={fault.fault}
              onClick={() => (isOn ? removeFault(fault) : addFault(fault))}
            >
              {label}
            </button>
          )
        })}
      </div>
      <div class="inline-form">
        <label class="field grow">
          <span>Scenario</span>
          <select
            aria-label="Scenario"
            value={picked || running}
            onChange={event => setPicked(event.currentTarget.value)}
          >
            {running === '' && <option value="">…</option>}
            {running === 'inline' && <option value="inline">your own faults</option>}
            {all.map(({ name, title }) => (
              <option key={name} value={name}>
                {name} – {title}
              </option>
            ))}
          </select>
        </label>
        <button
          type="button"
          class="button primary"
          disabled={shown === undefined}
          onClick={() => startScenario(picked || running).then(() => setPicked(''))}
        >
          {picked === '' || picked === running ? 'Restart' : 'Start'}
        </button>
      </div>
      <p class="why muted">
        <Text>{shown?.why ?? (found === undefined ? '' : 'Your own faults. The tab Faults lists them.')}</Text>
      </p>
      {(found?.faults.length ?? 0) > 0 && (
        <label class="field pace">
          <span>Pace: 60 plays an hour in a minute, and starts the scenario anew</span>
          <input
            type="number"
            min="1"
            max="1000"
            step="any"
            value={String(found!.scenario.source.pace ?? 1)}
            onChange={event => event.currentTarget.reportValidity() && setPace(Number(event.currentTarget.value))}
          />
        </label>
      )}
    </Panel>
  )
}
