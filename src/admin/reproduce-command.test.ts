// The command that brings a response back: each setting of its own is in it, and nothing else.
import { expect, it } from 'vitest'
import { createCalls } from '../../test/support/calls.js'
import { toCommand } from './reproduce-command.js'

const { mock, session } = createCalls()
const command = (speed: number, frozen: boolean): string =>
  toCommand(session(), { at: '2025-07-24T10:48:25Z', speed, frozen }, { scenarios: mock.scenarios, flags: [] })

it('args: speed, unless it is real time or the clock is frozen', () => {
  expect(command(60, false)).toContain(' --speed 60')
  expect(command(1, false)).not.toContain('--speed')
  expect(command(60, true)).not.toContain('--speed')
})
