// Parts of the scripts of the store: the form in which Redis keeps sessions, and Lua that several scripts have in common.
import { createHash } from 'node:crypto'
import { MAX_SESSIONS } from '../../../service/admission.js'

/** A script with the name by which Redis knows it. */
export interface Script {
  readonly lua: string
  readonly sha: string
}

/** Makes a script. */
export function script(lua: string): Script {
  return { lua, sha: createHash('sha1').update(lua).digest('hex') }
}

/**
 * Positions in the head of a session, which is a JSON list of everything that most requests change. Then come its endpoints, each with
 * its number of requests. A server that knows the head knows that nothing was counted or changed since.
 */
export const HEAD = {
  rev: 1,
  n: 2,
  /** Entries of the journal so far. */
  added: 3,
  at: 4,
  /** The latest use that the set `seen` knows. */
  seen: 5,
  /** Bytes of the journal, and those that the total of all journals knows: one command less for each request. */
  bytes: 6,
  reported: 7,
  /** Times until which entries, and replies, are wanted by streams. */
  entriesUntil: 8,
  repliesUntil: 9,
  /** Number of the newest key that got a 401. */
  keys: 10,
  /** The server that has the turn, and until when. */
  turn: 11,
  turnUntil: 12,
  ordinals: 13,
} as const

/*
 * KEYS[1] is the key `born`; ARGV[1] the name that the store got from its first server, ARGV[2] often the id of a session.
 * s:ID is a hash: head, c (configuration), ch (its bytes), k (kept), a (ordinals when the scenario was applied), f (counters of faults),
 * rk (keys that got a 401), g and gu (dropped entries). j:ID is the list of its journal, oldest first: added n ordinal bytes status now
 * received endpoint JSON.
 */

/** The beginning of a script. Its first result is -2 if the store has lost its content. */
export const START = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return {-2} end
local P = string.sub(KEYS[1], 1, -5)
local totals = P .. 'totals'
local function now() local t = redis.call('TIME') return t[1] * 1000 + math.floor(t[2] / 1000) end
local function whole(number) return string.format('%d', number) end
local function headOf(s)
  local text = redis.call('HGET', s, 'head')
  return text and cjson.decode(text)
end
-- Not by cjson.encode: it rounds to 14 digits, and turns an empty list into an object.
local function listOf(h, first)
  local texts = {}
  for i = first, #h do texts[#texts + 1] = type(h[i]) == 'number' and whole(h[i]) or cjson.encode(h[i]) end
  return '[' .. table.concat(texts, ',') .. ']'
end
local function putHead(s, h) redis.call('HSET', s, 'head', listOf(h, 1)) end
`

/** The limits of a store are those of a mock in memory, and grow with its number of sessions. */
export const LIMITS = `
local most = tonumber(redis.call('HGET', totals, 'most'))
local function limit(amount) return amount / ${MAX_SESSIONS} * most end
`
