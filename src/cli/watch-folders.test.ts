// Failures of the system's file watchers, on the real file system.
import { EventEmitter } from 'node:events'
import { type FSWatcher, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { createFolder } from '../../test/support/folder.js'
import { createMock } from '../index.js'
import { watchFolders, watchScenarios } from './watch.js'

const control = vi.hoisted(() => ({ watchers: [] as FSWatcher[], refused: '' }))
vi.mock('node:fs', async importOriginal => {
  const real = await importOriginal<typeof import('node:fs')>()
  const watch = (folder: string, listener: () => void): FSWatcher => {
    if (folder === control.refused) throw new Error('ENOSPC: no watchers are left')
    const watcher = real.watch(folder, listener)
    control.watchers.push(watcher)
    return watcher
  }
  return { ...real, watch }
})

const folder = createFolder()

/** Watches a folder; each change is awaited. */
function open() {
  const changes = new EventEmitter()
  const unwatchable: [path: string, reason: string][] = []
  const close = watchFolders(
    [folder],
    () => changes.emit('change'),
    (path, reason) => unwatchable.push([path, reason]),
  )
  const next = () => new Promise(resolve => changes.once('change', resolve))
  return { close, unwatchable, next }
}

it('behavior: a watcher that fails is replaced', async () => {
  const { close, next } = open()
  const failed = control.watchers.at(-1)!
  failed.emit('error', new Error('EPERM: operation not permitted, watch'))
  await next()
  const change = next()
  writeFileSync(join(folder, 'a.json'), '')
  await change
  expect(control.watchers.at(-1)).not.toBe(failed)
  close()
})

it('error: a folder that cannot be watched is reported once', async () => {
  control.refused = folder
  const { close, unwatchable, next } = open()
  control.watchers.at(-1)!.emit('change', 'rename', null)
  await next()
  expect(unwatchable).toEqual([[folder, 'ENOSPC: no watchers are left']])
  close()
})

it('error: a folder of scenarios that cannot be watched is reported', () => {
  control.refused = folder
  const messages: string[] = []
  watchScenarios(createMock(), { files: {}, folder }, message => messages.push(message))()
  expect(messages[0]).toBe(`${folder} cannot be watched: ENOSPC: no watchers are left.`)
})

it('behavior: a parent folder that cannot be watched is skipped', async () => {
  control.refused = dirname(folder)
  const { close, unwatchable, next } = open()
  const change = next()
  writeFileSync(join(folder, 'b.json'), '')
  await change
  expect(unwatchable).toEqual([])
  close()
})

it('behavior: of the folder above only what stands on the way counts', () => {
  control.refused = ''
  onTestFinished(() => void vi.useRealTimers())
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const { close } = open()
  const [above, own] = control.watchers.slice(-2)
  above!.emit('change', 'rename', 'unrelated.tmp')
  expect(vi.getTimerCount()).toBe(0)
  above!.emit('change', 'rename', basename(folder))
  expect(vi.getTimerCount()).toBe(1)
  close()
  expect(vi.getTimerCount()).toBe(0)
  own!.emit('change', 'change', 'a.json')
  expect(vi.getTimerCount()).toBe(1)
  close()
})
