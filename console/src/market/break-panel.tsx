// Breaks the chosen feed with one press, or the whole service with a scenario.

import { useState } from 'preact/hooks'
import type { FaultEntry } from '../faults/entry'
import { addFault, isRunning, removeFault, startScenario, stopScenario } from '../scenario'
import { change, chosenFeed, inspection, scenarios } from '../state'
import { useStore } from '../store'
import { Panel } from '../ui'

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
  const [price, setPrice] = useState('')
  const [picked, setPicked] = useState('')
  const running = found?.scenario.name ?? 'calm'
  const shown = all.find(({ name }) => name === (picked || running))
  const isSet = found?.overrides.includes(feed) ?? false

  return (
    <Panel
      title="Break it"
      class="break-panel"
      side={
        <button type="button" class="button small danger" disabled={running === 'calm'} onClick={stopScenario}>
          Stop all faults
        </button>
      }
    >
      <form
        class="inline-form"
        onSubmit={event => {
          event.preventDefault()
          change(`${feed} is ${price} now.`, { prices: { [feed]: Number(price) } })
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
            onInput={event => setPrice(event.currentTarget.value)}
          />
        </label>
        <button type="submit" class="button">
          Set
        </button>
        <button
          type="button"
          class="button"
          disabled={!isSet}
          onClick={() => change(`${feed} follows its own path again.`, { prices: { [feed]: null } })}
        >
          Undo
        </button>
      </form>
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
      <p class="why muted">{shown?.why ?? 'Your own faults. The tab Faults lists them.'}</p>
    </Panel>
  )
}
