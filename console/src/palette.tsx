// Ctrl+K: feeds, scenarios, pages, and commands for the clock and prices, found by typing.
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { open } from './axis/shown'
import { change, resetSession, setPrice, toggleClock } from './changes'
import { formatPrice, matches, readInstant, readPrice, toInstant } from './format'
import { addFault, groupOf, startScenario, stopScenario } from './scenario'
import { chosenFeed, feeds, scenarios, shownSecond } from './state'
import { useStore } from './store'

/** Something to choose. */
interface Item {
  readonly group: string
  readonly label: string
  readonly note?: string
  readonly run: () => unknown
}

/** Rows that are rendered. */
const ROWS = 12
const COMMANDS: readonly Item[] = [
  { group: 'Session', label: 'Stop all faults', run: stopScenario },
  { group: 'Session', label: 'Go to now', run: () => open({ from: undefined, cursor: undefined }) },
  { group: 'Session', label: 'Freeze or resume the clock', run: toggleClock },
  { group: 'Session', label: 'Reset to the start', note: 'The journal goes.', run: resetSession },
]
const PAGES = ['axis', 'faults', 'journal', 'report', 'signatures', 'sessions', 'api']

/** The dialog. Each change of `opened` opens it. */
export function Palette({ opened, onClose }: { opened: number; onClose: () => void }) {
  const ref = useRef<HTMLDialogElement>(null)
  const [text, setText] = useState('')
  const [chosen, setChosen] = useState(0)
  // Before the next key comes, which would act on the page.
  useLayoutEffect(() => {
    setText('')
    setChosen(0)
    ref.current?.showModal()
  }, [opened])
  const items = useItems(text.trim())
  const shown = items.slice(0, ROWS)
  const take = (item: Item | undefined): void => {
    if (item === undefined) return
    ref.current?.close()
    void item.run()
  }
  const key = (event: KeyboardEvent): void => {
    if (event.key === 'Enter') take(shown[chosen])
    else if (event.key === 'ArrowDown') setChosen(Math.min(shown.length - 1, chosen + 1))
    else if (event.key === 'ArrowUp') setChosen(Math.max(0, chosen - 1))
    else return
    event.preventDefault()
  }
  return (
    <dialog ref={ref} class="palette" aria-label="Find" onClose={onClose}>
      <input
        role="combobox"
        aria-label="Find a feed, a scenario, a page or a time"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={shown.length === 0 ? undefined : `palette-${chosen}`}
        placeholder="Feed, scenario, page, 14:30, set 50000, path 1m 45000, 2m 47000"
        autocomplete="off"
        spellcheck={false}
        value={text}
        onInput={event => {
          setText(event.currentTarget.value)
          setChosen(0)
        }}
        onKeyDown={key}
      />
      <ul id="palette-list" role="listbox" aria-label="Found">
        {shown.map((item, i) => (
          <li
            key={`${item.group} ${item.label}`}
            id={`palette-${i}`}
            role="option"
            aria-selected={i === chosen}
            onPointerMove={() => setChosen(i)}
            onClick={() => take(item)}
          >
            <span class="muted">{item.group !== shown[i - 1]?.group ? item.group : ''}</span>
            <span>{item.label}</span>
            <small class="muted">{item.note}</small>
          </li>
        ))}
        {shown.length === 0 && (
          <li class="muted">
            <span />
            <span>Nothing matches "{text}".</span>
          </li>
        )}
      </ul>
      {items.length > ROWS && <p class="muted">and {items.length - ROWS} more: type to narrow them</p>}
    </dialog>
  )
}

function useItems(text: string): readonly Item[] {
  const feed = useStore(chosenFeed)
  const now = useStore(shownSecond)
  const all = useStore(scenarios)
  const catalogue = useStore(feeds)
  const wanted = text.toLowerCase()
  const has = (...texts: readonly string[]): boolean => matches(text, ...texts)
  return [
    ...commandsOf(text, feed, now),
    ...catalogue
      .filter(({ id }) => has(id))
      .sort((a, b) => a.id.toLowerCase().indexOf(wanted) - b.id.toLowerCase().indexOf(wanted))
      .slice(0, wanted === '' ? 4 : ROWS)
      .map(({ id }) => ({
        group: 'Feeds',
        label: id,
        run: () => {
          chosenFeed.set(id)
          open({})
        },
      })),
    // Before scenarios, of which many speak of faults, resets or reports.
    ...COMMANDS.filter(({ label }) => wanted !== '' && has(label)),
    ...PAGES.filter(name => wanted !== '' && has(name)).map(name => ({
      group: 'Pages',
      label: name === 'api' ? 'API' : name[0]!.toUpperCase() + name.slice(1),
      run: () => {
        location.hash = `#/${name}`
      },
    })),
    ...all
      .filter(({ name, title, why }) => has(name, title, why))
      .map(({ name, title, stages }) => ({
        group: `Scenarios: ${groupOf(stages)}`,
        label: name,
        note: title,
        run: () => startScenario(name),
      }))
      .sort((a, b) => a.group.localeCompare(b.group)),
  ]
}

/** Texts that are commands: a price, a course, a time of the day or an instant. */
function commandsOf(text: string, feed: string, now: number | undefined): Item[] {
  if (now === undefined) return []
  const price = readPrice(/^set\s+(\S+)$/i.exec(text)?.[1] ?? '')
  if (price !== undefined)
    return [{ group: 'Price', label: `Set ${feed} to ${formatPrice(price)}`, run: () => setPrice(feed, price) }]
  if (/^path\s/i.test(text)) {
    const points = text
      .slice(5)
      .split(',')
      .map(part => /^\s*(\d+[smhd])\s+(\S+)\s*$/.exec(part))
      .map(part => ({ at: part?.[1], price: readPrice(part?.[2] ?? '') }))
    if (points.some(({ price }) => price === undefined)) return []
    return [
      {
        group: 'Price',
        label: `Set ${feed} to this path`,
        run: () => addFault({ fault: 'market/path', feeds: [feed], options: { points } }),
      },
    ]
  }
  const at = readInstant(text) ?? readInstant(`${toInstant(now).slice(0, 10)} ${text}`)
  if (at === undefined) return []
  const instant = toInstant(at)
  return [
    { group: 'Time', label: `Look at ${instant}`, run: () => open({ cursor: at, from: at - 240, request: undefined }) },
    {
      group: 'Time',
      label: `Set the clock to ${instant}`,
      run: () => change(() => ['Jumped.', { clock: { at: instant } }]),
    },
  ]
}
