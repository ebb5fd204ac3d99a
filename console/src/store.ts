// A value that components follow.
import { useEffect, useRef, useState } from 'preact/hooks'

/** A value with subscribers. */
export interface Store<T> {
  get(): T
  set(value: T): void
  subscribe(onChange: () => void): () => void
}

/** Creates a store. */
export function createStore<T>(first: T): Store<T> {
  let value = first
  const subscribers = new Set<() => void>()
  return {
    get: () => value,
    set(next) {
      if (Object.is(next, value)) return
      value = next
      for (const onChange of [...subscribers]) onChange()
    },
    subscribe(onChange) {
      subscribers.add(onChange)
      return () => subscribers.delete(onChange)
    },
  }
}

/**
 * The value of a store; the component renders again when it changes.
 * @param everyMs the least time between two renderings
 */
export function useStore<T>(store: Store<T>, everyMs = 0): T {
  const [value, setValue] = useState(store.get)
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    let last = 0
    const show = (): void => {
      timer = undefined
      last = performance.now()
      setValue(() => store.get())
    }
    // It may have changed between the first rendering and this effect.
    setValue(() => store.get())
    const unsubscribe = store.subscribe(() => {
      if (everyMs === 0) show()
      else timer ??= setTimeout(show, Math.max(0, last + everyMs - performance.now()))
    })
    return () => {
      clearTimeout(timer)
      unsubscribe()
    }
  }, [store])
  return value
}

/** A value that changes at most every so many milliseconds. */
export function useThrottled<T>(value: T, everyMs: number): T {
  const [shown, setShown] = useState(value)
  const last = useRef(0)
  useEffect(() => {
    const wait = Math.max(0, last.current + everyMs - performance.now())
    const timer = setTimeout(() => {
      last.current = performance.now()
      setShown(() => value)
    }, wait)
    return () => clearTimeout(timer)
  }, [value])
  return shown
}
