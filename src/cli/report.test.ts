// The report of `exec`: sessions that end, sessions that stay, and files that cannot be written.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createFolder } from '../../test/support/folder.js'
import { createMock } from '../index.js'
import { judged } from '../service/changes.js'
import { collectReports, usedOf, writeReport } from './report.js'

const folder = createFolder()

function open() {
  const mock = createMock({ realTime: () => 0 })
  const toReports = collectReports(usedOf(mock))
  const use = (id: string) => {
    if (!mock.sessions.list().some(session => session.id === id)) mock.sessions.create({ id }, 0)
    const prefix = id === 'default' ? '' : `/session/${id}`
    const authorization = 'test-api-key'
    mock.record(
      mock.serve({ method: 'GET', target: `${prefix}/prices/BTCUSD/latest`, authorization, receivedAt: 0 })!,
      0,
    )
  }
  const names = async () => (await toReports()).cards.map(({ session }) => session)
  return { mock, use, names, toReports }
}

describe('collectReports', () => {
  it('default: sessions that were used, those that ended first', async () => {
    const { mock, use, names } = open()
    mock.sessions.create({ id: 'idle' }, 0)
    expect(await names()).toEqual([])
    use('default')
    use('a')
    use('b')
    mock.sessions.delete('b')
    mock.sessions.delete('idle')
    mock.sessions.create({ id: 'c' }, 0)
    mock.sessions.get('c').run(judged({ case: 'x', ok: true }, 0))
    expect(await names()).toEqual(['b', 'default', 'a', 'c'])
  })

  it('behavior: sessions of the same id are numbered', async () => {
    const { mock, use, names } = open()
    for (let i = 0; i < 3; i++) {
      use('a')
      if (i < 2) mock.sessions.delete('a')
    }
    expect(await names()).toEqual(['a', 'a (2)', 'a (3)'])
  })

  it('behavior: the requests of an ended session are in its report', async () => {
    const { mock, use, toReports } = open()
    use('a')
    mock.sessions.delete('a')
    expect((await toReports()).cards).toMatchObject([{ session: 'a', requests: 1 }])
  })

  it('behavior: of very many ended sessions the first stay', async () => {
    const { mock, use, toReports } = open()
    for (let i = 0; i < 1002; i++) {
      use('a')
      mock.sessions.delete('a')
    }
    const { cards, left } = await toReports()
    expect([cards.length, left]).toEqual([1000, 2])
  })
})

describe('writeReport', () => {
  it('default: the folder is created', () => {
    const file = join(folder, 'a', 'b', 'junit.xml')
    const lines: string[] = []
    writeReport(file, { cards: [], left: 0, lost: 0 }, line => lines.push(line))
    expect(readFileSync(file, 'utf8')).toMatch(/^<\?xml [\s\S]*<\/testsuites>\n$/)
    expect(lines).toEqual([])
  })

  it('behavior: sessions that are left out are reported', () => {
    const lines: string[] = []
    writeReport(join(folder, 'junit.xml'), { cards: [], left: 2, lost: 1 }, line => lines.push(line))
    expect(lines).toEqual([
      'the report leaves out 2 sessions: it has the first 1000 that ended.',
      'the report leaves out 1 session that others removed from the store.',
    ])
  })

  it.each([
    ['a folder', () => folder, 'EISDIR'],
    ['a path below a file', () => join(folder, 'file', 'junit.xml'), 'ENOTDIR'],
  ])('error: %s', (_, path, code) => {
    writeFileSync(join(folder, 'file'), '')
    const lines: string[] = []
    writeReport(path(), { cards: [], left: 0, lost: 0 }, line => lines.push(line))
    expect(lines).toEqual([`the report was not written to ${path()} (${code}).`])
  })
})
