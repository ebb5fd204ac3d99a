// What a system does to those who watch: it fails while they do, or refuses them. The real file system, with a hand on its watchers.
import { EventEmitter } from 'node:events'
import { type FSWatcher, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, expect, it, vi } from 'vitest'
import { watchFolders } from './watch-folders.js'

const hand = vi.hoisted(() => ({ watchers: [] as FSWatcher[], refused: '' }))
vi.mock('node:fs', async importOriginal => {
  const real = await importOriginal<typeof import('node:fs')>()
  const watch = (folder: string, listener: () => void): FSWatcher => {
    if (folder === hand.refused) throw new Error('ENOSPC: no watchers are left')
    const watcher = real.watch(folder, listener)
    hand.watchers.push(watcher)
    return watcher
  }
  return { ...real, watch }
})

const folder = mkdtempSync(join(tmpdir(), 'price-feed-mock-watch-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Watches a folder; each change is awaited. */
function open() {
  const changes = new EventEmitter()
  const lines: string[] = []
  const close = watchFolders(
    [folder],
    () => changes.emit('change'),
    line => lines.push(line),
  )
  const next = () => new Promise(resolve => changes.once('change', resolve))
  return { close, lines, next }
}

it('behavior: a watcher that fails is replaced', async () => {
  const { close, next } = open()
  const failed = hand.watchers.at(-1)!
  failed.emit('error', new Error('EPERM: operation not permitted, watch'))
  await next()
  const change = next()
  writeFileSync(join(folder, 'a.json'), '')
  await change
  expect(hand.watchers.at(-1)).not.toBe(failed)
  close()
})

it('error: a folder that cannot be watched is told once', async () => {
  hand.refused = folder
  const { close, lines, next } = open()
  hand.watchers.at(-1)!.emit('change', 'rename', null)
  await next()
  expect(lines).toEqual([`${folder} cannot be watched: ENOSPC: no watchers are left.`])
  close()
})

it('behavior: a folder above that cannot be watched is done without', async () => {
  hand.refused = dirname(folder)
  const { close, lines, next } = open()
  const change = next()
  writeFileSync(join(folder, 'b.json'), '')
  await change
  expect(lines).toEqual([])
  close()
})
