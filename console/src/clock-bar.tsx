// The clock of the session: always visible, with freeze, speed, steps, jump and reset.
import { useState } from 'preact/hooks'
import { admin } from './api'
import { change, resetSession, toggleClock } from './changes'
import { formatInstant, plural, readInstant, toInstant } from './format'
import { session, sessionId, shownSecond } from './state'
import { useStore } from './store'
import { Confirm, InstantInput } from './ui'

const SPEEDS = [0.1, 1, 2, 10, 60, 600, 3600]
const STEPS = [
  ['1 s', '1s'],
  ['1 min', '1m'],
  ['1 h', '1h'],
] as const

/** The bar. */
export function ClockBar() {
  const current = useStore(session)
  const seconds = useStore(shownSecond)
  const [jump, setJump] = useState('')
  const [isOpen, setIsOpen] = useState(false)
  if (current === undefined || seconds === undefined) return <div class="clock-bar" />
  const { frozen, speed } = current.clock
  return (
    <section class="clock-bar" aria-label="Clock">
      <div class="clock-now">
        <time class="clock-time" dateTime={new Date(seconds * 1000).toISOString()}>
          {formatInstant(seconds)}
        </time>
        <span class="muted">UTC</span>
        <span class="clock-state" data-frozen={frozen}>
          {frozen ? 'frozen' : speed === 1 ? 'running' : `running ${speed}×`}
        </span>
      </div>
      <button
        type="button"
        class="button small clock-toggle"
        aria-expanded={isOpen}
        aria-controls="clock-tools"
        onClick={() => setIsOpen(!isOpen)}
      >
        Clock
      </button>
      <div class="clock-tools" id="clock-tools" data-open={isOpen}>
        <button type="button" class="button small" aria-keyshortcuts="Space" onClick={toggleClock}>
          {frozen ? 'Resume' : 'Freeze'}
        </button>
        <label class="inline-label">
          <span class="hidden">Speed</span>
          <select value={String(speed)} onChange={event => setSpeed(Number(event.currentTarget.value))}>
            {[...new Set([...SPEEDS, speed])]
              .sort((a, b) => a - b)
              .map(one => (
                <option key={one} value={String(one)}>
                  {one}×
                </option>
              ))}
          </select>
        </label>
        <span class="button-group" role="group" aria-label="Step forward">
          {STEPS.map(([label, advance]) => (
            <button
              type="button"
              class="button small"
              key={advance}
              onClick={() => change(() => [`Stepped ${label}.`, { clock: { advance } }])}
            >
              +{label}
            </button>
          ))}
        </span>
        <form
          class="jump"
          onSubmit={event => {
            event.preventDefault()
            change(() => ['Jumped.', { clock: { at: toInstant(readInstant(jump)!) } }])
          }}
        >
          <InstantInput required aria-label="Time to jump to, in UTC" value={jump} onInput={setJump} />
          <button type="submit" class="button small">
            Jump
          </button>
        </form>
        <Confirm label="Reset" ask={whatResetLoses} onConfirm={resetSession} />
      </div>
    </section>
  )
}

function setSpeed(speed: number): void {
  void change(() => [`The clock runs ${speed} times as fast.`, { clock: { speed } }])
}

/** Requests cannot be brought back; without any, nothing is lost. */
async function whatResetLoses(): Promise<string | undefined> {
  const { id, requests } = await admin.session(sessionId.get())
  return requests === 0
    ? undefined
    : `Reset ${id}? Scenario, set prices, clock and counters go back to the start. The journal loses ${plural(requests, 'request')}, and that cannot be undone; the rest can.`
}
