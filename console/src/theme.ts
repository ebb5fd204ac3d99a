// The theme: that of the system, or one that the reader has chosen.
import { createStore } from './store'

export type Theme = 'auto' | 'light' | 'dark'
const KEY = 'price-feed-mock theme'
const saved = localStorage.getItem(KEY)

export const theme = createStore<Theme>(saved === 'light' || saved === 'dark' ? saved : 'auto')

function apply(): void {
  const chosen = theme.get()
  if (chosen === 'auto') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = chosen
}

/** Chooses a theme. */
export function setTheme(next: Theme): void {
  if (next === 'auto') localStorage.removeItem(KEY)
  else localStorage.setItem(KEY, next)
  theme.set(next)
  apply()
}

/** Calls back when the colours change. Returns a function that ends it. */
export function onColours(repaint: () => void): () => void {
  const system = matchMedia('(prefers-color-scheme: light)')
  system.addEventListener('change', repaint)
  const unsubscribe = theme.subscribe(() => queueMicrotask(repaint))
  return () => {
    system.removeEventListener('change', repaint)
    unsubscribe()
  }
}

apply()
