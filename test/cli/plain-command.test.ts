// Reading plain command lines as a POSIX shell would.
import { expect, it } from 'vitest'
import { parsePlainCommand } from './plain-command.js'

it.each([
  ['price-feed-mock', {}, []],
  ["price-feed-mock --seed '' --host 'a b' --port=-1", {}, ['--seed', '', '--host', 'a b', '--port=-1']],
  ['price-feed-mock --seed "it\'s"x', {}, ['--seed', "it'sx"]],
  [
    "PRICE_FEED_MOCK_PORT= PRICE_FEED_MOCK_API_KEY='good,with blank' price-feed-mock keys",
    { PRICE_FEED_MOCK_PORT: '', PRICE_FEED_MOCK_API_KEY: 'good,with blank' },
    ['keys'],
  ],
  ["price-feed-mock exec -- sh -c 'exit 3'", {}, ['exec', '--', 'sh', '-c', 'exit 3']],
])('default: %s', (line, environment, args) => expect(parsePlainCommand(line)).toEqual({ environment, args }))

it.each([
  'price-feed-mock --help | head -1',
  'price-feed-mock --seed "$HOME"',
  'price-feed-mock check twins/*.json',
  'price-feed-mock exec -- echo true',
  'price-feed-mock --config /dev/stdin',
  'price-feed-mock keys > file',
  'mkdir team',
  'PORT=1 mkdir price-feed-mock',
])('behavior: needs a shell: %s', line => expect(parsePlainCommand(line)).toBeUndefined())
