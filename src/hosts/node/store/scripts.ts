// The scripts of the store in Redis. Each is one atomic step, and all keys have one hash tag, which is one slot of a cluster.
import { createHash } from 'node:crypto'
import { MAX_JOURNAL_BYTES, MAX_JOURNAL_ENTRIES, MAX_POOL_BYTES } from '../../../service/journal.js'
import { MAX_BYTES, MAX_EVICTED, MAX_KEPT, MAX_SESSIONS } from '../../../service/sessions.js'

/** A script with the name by which Redis knows it. */
export interface Script {
  readonly lua: string
  readonly sha: string
}

/** The share of a journal by which it may grow before its oldest entries are counted and dropped, many at a time. */
const SLACK = 1.1
/** A journal is trimmed when it has more entries or bytes. */
const LONG_ENTRIES = MAX_JOURNAL_ENTRIES * SLACK
export const LONG_BYTES = MAX_JOURNAL_BYTES * SLACK
/** Milliseconds that a server has the turn after others were faster. */
const TURN_MS = 50
/** Sessions that one call expires at most. */
const MAX_EXPIRED = 100

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

// KEYS[1] is the key `born`; ARGV[1] the name that the store got from its first server, ARGV[2] often the id of a session.
// s:ID is a hash: head, c (configuration), ch (its bytes), k (kept), a (ordinals when the scenario was applied), f (counters of faults),
// rk (keys that got a 401), g and gu (dropped entries). j:ID is the list of its journal, oldest first: added n ordinal bytes status now
// received endpoint JSON.
const START = `
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

// The limits of a store are those of a mock in memory, and grow with its number of sessions.
const LIMITS = `
local most = tonumber(redis.call('HGET', totals, 'most'))
local function limit(amount) return amount / ${MAX_SESSIONS} * most end
`

const REMOVE = `
local function remember(id)
  redis.call('ZADD', P .. 'idled', redis.call('HINCRBY', totals, 'age', 1), id)
  if redis.call('ZCARD', P .. 'idled') > ${MAX_EVICTED} then redis.call('ZREMRANGEBYRANK', P .. 'idled', 0, 0) end
end
local function remove(id)
  local h = headOf(P .. 's:' .. id)
  if h then
    local own = redis.call('HMGET', P .. 's:' .. id, 'ch', 'k')
    redis.call('HINCRBY', totals, 'held', 0 - own[1])
    redis.call('HINCRBY', totals, 'bytes', 0 - h[${HEAD.reported}])
    if own[2] == '1' then redis.call('HINCRBY', totals, 'kept', -1) end
  end
  redis.call('DEL', P .. 's:' .. id, P .. 'j:' .. id)
  for _, set in ipairs({'all', 'idle', 'seen', 'journals'}) do redis.call('ZREM', P .. set, id) end
  redis.call('PUBLISH', P .. 'e:' .. id, 'closed')
end
local function expire(before)
  local ids = redis.call('ZRANGEBYSCORE', P .. 'seen', '-inf', before, 'LIMIT', 0, ${MAX_EXPIRED})
  for _, id in ipairs(ids) do
    remove(id)
    remember(id)
  end
  return #ids
end
`

// Drops the oldest entries of a journal, and counts them by endpoint.
const TRIM = `
local function count(times, time)
  if not times then return {first = time, last = time} end
  local gap = time - times.last
  times.last = time
  if not times.least or gap < times.least then times.least = gap end
  if not times.most or gap > times.most then times.most = gap end
  return times
end
local function report(s, h, bytes)
  local change = bytes - h[${HEAD.reported}]
  h[${HEAD.bytes}], h[${HEAD.reported}] = bytes, bytes
  putHead(s, h)
  return tonumber(redis.call('HINCRBY', totals, 'bytes', change))
end
local function trim(id, entries, most, need, before)
  local s, j = P .. 's:' .. id, P .. 'j:' .. id
  local h, g = headOf(s), redis.call('HGET', s, 'g')
  local bytes, gone = h[${HEAD.bytes}], g and cjson.decode(g) or {}
  local byEndpoint, numbers = {}, {}
  for _, known in ipairs(gone) do byEndpoint[known.endpoint] = known end
  -- Most numbers repeat, and to read one takes as long as to find it in a pattern.
  local function numberOf(text)
    local number = numbers[text] or tonumber(text)
    numbers[text] = number
    return number
  end
  local length = redis.call('LLEN', j)
  local freed, last, age = 0, nil, 0
  local popped, taken = length > entries and redis.call('LPOP', j, whole(length - entries)) or {}, 0
  while length > 0 and (length > entries or bytes - freed > most or (freed < need and age < before)) do
    taken = taken + 1
    local line = popped[taken] or redis.call('LPOP', j)
    local n, size, status, second, received, endpoint = string.match(line, '^%d+ (%d+) %d+ (%d+) (%d+) (%S+) (%S+) (%S+)')
    local one = byEndpoint[endpoint]
    if not one then
      one = {endpoint = endpoint, requests = 0, statuses = {}}
      byEndpoint[endpoint], gone[#gone + 1] = one, one
    end
    one.requests = one.requests + 1
    one.statuses[status] = (one.statuses[status] or 0) + 1
    age = numberOf(received)
    one.virtual = count(one.virtual, numberOf(second) * 1000)
    one.real = count(one.real, age)
    freed, last, length = freed + numberOf(size), n, length - 1
  end
  if not last then return end
  redis.call('HSET', s, 'g', cjson.encode(gone), 'gu', last)
  if length == 0 then redis.call('ZREM', P .. 'journals', id)
  else redis.call('ZADD', P .. 'journals', string.match(redis.call('LINDEX', j, 0), '^%d+ %d+ %d+ %d+ %d+ %S+ (%S+)'), id) end
  return report(s, h, bytes - freed)
end
`

/** ARGV: a name for the store, a description, and its largest number of sessions. Returns the name and description that it has. */
export const BIRTH = script(`
if redis.call('EXISTS', KEYS[1]) == 0 then
  redis.call('SET', KEYS[1], ARGV[1])
  redis.call('SET', string.sub(KEYS[1], 1, -5) .. 'birth', ARGV[2])
  redis.call('HSET', string.sub(KEYS[1], 1, -5) .. 'totals', 'most', ARGV[3])
end
return {redis.call('GET', KEYS[1]), redis.call('GET', string.sub(KEYS[1], 1, -5) .. 'birth')}`)

/** Returns the time of Redis. */
export const CLOCK = script(`${START} return redis.call('TIME')`)

/** ARGV: id. Returns all fields of a session, or whether it was idle. */
export const LOAD = script(`${START}
local s = P .. 's:' .. ARGV[2]
local fields = redis.call('HGETALL', s)
if #fields > 0 then return {1, fields} end
return {-1, redis.call('ZSCORE', P .. 'idled', ARGV[2]) and 1 or 0}`)

/** Returns the ids of all sessions, oldest first. */
export const IDS = script(`${START} return redis.call('ZRANGE', P .. 'all', 0, -1)`)

/** ARGV: name of a total, or `size`. Returns it after adding 1, or the number of sessions. */
export const NUMBER = script(`${START}
if ARGV[2] == 'size' then return redis.call('ZCARD', P .. 'all') end
return redis.call('HINCRBY', totals, ARGV[2], 1)`)

/** What a commit asks for besides, as letters. */
export const ASKS = {
  /** Its answers depend on the numbers of the requests. */
  exact: 'n',
  /** The session may be evicted: note its use. */
  idle: 'i',
  /** The set `seen` gets the time. */
  seen: 's',
  /** The total of all journals gets the bytes. */
  report: 'r',
  /** Streams get a message. */
  publish: 'e',
  /** There are keys that got their first 401. */
  keys: 'k',
} as const

/**
 * ARGV: server, and for each of several sessions: id, the head that the server knows, the next one, letters of `ASKS`, counters of
 * faults, keys that got a 401, number of entries, the entries. Returns for each 1 if all is written as it was sent, `{1, head}` if
 * it is written with that head, `{2, fields}` if the session is another one, 3 if another server has the turn, and -1 without a session.
 */
export const COMMIT = script(`${START}
local function asks(letters, letter) return string.find(letters, letter, 1, true) end
-- Others have counted requests in between, and no answer depends on it: the entries get the numbers after theirs. The next head
-- has the endpoints of the known one at the same places, and new ones after them.
local function renumber(h, known, nextHead, j, first, last)
  local shifts, places = {}, {}
  for k = ${HEAD.ordinals}, #h, 2 do places[h[k]] = k end
  for k = ${HEAD.ordinals}, #nextHead, 2 do
    local name, before = nextHead[k], known[k + 1] or 0
    local place = places[name] or #h + 1
    h[place] = name
    shifts[name] = (h[place + 1] or 0) - before
    h[place + 1] = nextHead[k + 1] + shifts[name]
  end
  local added, n = h[${HEAD.added}] - known[${HEAD.added}], h[${HEAD.n}] - known[${HEAD.n}]
  for _, field in ipairs({${HEAD.n}, ${HEAD.added}, ${HEAD.bytes}}) do h[field] = h[field] + nextHead[field] - known[field] end
  for _, field in ipairs({${HEAD.at}, ${HEAD.seen}}) do h[field] = math.max(h[field], nextHead[field]) end
  local push = {'RPUSH', j}
  for k = first, last do
    push[#push + 1] = string.gsub(ARGV[k], '^(%d+) (%d+) (%d+)( %d+ %d+ %d+ %S+ )(%S+)', function(a, b, ordinal, middle, name)
      if ordinal ~= '0' then ordinal = ordinal + shifts[name] end
      return string.format('%d %d %d%s%s', a + added, b + n, ordinal, middle, name)
    end)
  end
  return push
end
local function commit(i, first, last)
  local id, letters, head = ARGV[i], ARGV[i + 3], ARGV[i + 2]
  local s, j = P .. 's:' .. id, P .. 'j:' .. id
  local present = redis.call('HGET', s, 'head')
  local h, push
  if present ~= ARGV[i + 1] then
    if not present then return -1 end
    local known = cjson.decode(ARGV[i + 1])
    h = cjson.decode(present)
    if h[${HEAD.rev}] ~= known[${HEAD.rev}] then return {2, redis.call('HGETALL', s)} end
    if h[${HEAD.turn}] ~= '' and h[${HEAD.turn}] ~= ARGV[2] and now() < h[${HEAD.turnUntil}] then return 3 end
    if asks(letters, '${ASKS.exact}') or h[${HEAD.keys}] ~= known[${HEAD.keys}] then
      h[${HEAD.turn}], h[${HEAD.turnUntil}] = ARGV[2], now() + ${TURN_MS}
      putHead(s, h)
      return {2, redis.call('HGETALL', s)}
    end
    push = renumber(h, known, cjson.decode(head), j, first, last)
    head = listOf(h, 1)
  end
  if ARGV[i + 4] ~= '' then redis.call('HSET', s, 'head', head, 'f', ARGV[i + 4])
  else redis.call('HSET', s, 'head', head) end
  local length = push and redis.call(unpack(push)) or redis.call('RPUSH', j, unpack(ARGV, first, last))
  local isFirst, isLong = length == last - first + 1, length > ${LONG_ENTRIES}
  if (letters ~= '' and letters ~= '${ASKS.exact}') or h or isFirst or isLong then
    h = h or cjson.decode(head)
    local at = h[${HEAD.at}]
    if asks(letters, '${ASKS.keys}') then redis.call('HSET', s, 'rk', ARGV[i + 5]) end
    if isFirst then redis.call('ZADD', P .. 'journals', whole(at), id) end
    if asks(letters, '${ASKS.seen}') then redis.call('ZADD', P .. 'seen', 'XX', whole(at), id) end
    if asks(letters, '${ASKS.idle}') then redis.call('ZADD', P .. 'idle', 'XX', redis.call('HINCRBY', totals, 'age', 1), id) end
    if h[${HEAD.entriesUntil}] > at then redis.call('PUBLISH', P .. 'e:' .. id, 'entries') end
    if isLong or asks(letters, '${ASKS.report}') then
      ${TRIM}
      ${LIMITS}
      local isTooLong = isLong or h[${HEAD.bytes}] > ${LONG_BYTES}
      local total = isTooLong and trim(id, ${MAX_JOURNAL_ENTRIES}, ${MAX_JOURNAL_BYTES}, 0, 0) or report(s, h, h[${HEAD.bytes}])
      while total > limit(${MAX_POOL_BYTES}) do
        local oldest = redis.call('ZRANGE', P .. 'journals', 0, 1, 'WITHSCORES')
        local less = oldest[1] and trim(oldest[1], math.huge, math.huge, total - limit(${MAX_POOL_BYTES}), tonumber(oldest[4] or math.huge))
        if not less or less >= total then break end
        total = less
      end
      return {1, redis.call('HGET', s, 'head')}
    end
  end
  return push and {1, head} or 1
end
local out, i = {}, 3
while ARGV[i] do
  local first = i + 7
  local last = first - 1 + ARGV[i + 6]
  out[#out + 1] = commit(i, first, last)
  i = last + 1
end
return out`)

/** ARGV: id, configuration, bytes, kept, now, ms until an idle session expires, whether it expires. */
export const CREATE = script(`${START}${REMOVE}${LIMITS}
local id, s, own = ARGV[2], P .. 's:' .. ARGV[2], tonumber(ARGV[4])
if redis.call('EXISTS', s) == 1 then return 0 end
expire(whole(tonumber(ARGV[6]) - tonumber(ARGV[7])))
local function evict()
  local longest = redis.call('ZPOPMIN', P .. 'idle')
  if not longest[1] then return false end
  remove(longest[1])
  remember(longest[1])
  return true
end
if id ~= 'default' then
  local function held() return tonumber(redis.call('HGET', totals, 'held') or 0) end
  if ARGV[5] == '0' then while held() + own > limit(${MAX_BYTES}) and evict() do end end
  if own > 0 and held() + own > limit(${MAX_BYTES}) then return -4 end
  if ARGV[5] == '1' and tonumber(redis.call('HGET', totals, 'kept') or 0) >= limit(${MAX_KEPT}) then return -3 end
  if redis.call('ZCARD', P .. 'all') > most then evict() end
  redis.call('HINCRBY', totals, 'held', own)
  if ARGV[5] == '1' then redis.call('HINCRBY', totals, 'kept', 1) end
end
local order = redis.call('HINCRBY', totals, 'rev', 1)
local rev = order .. ':' .. ARGV[1]
redis.call('ZREM', P .. 'idled', id)
redis.call('ZADD', P .. 'all', order, id)
if ARGV[5] == '0' then redis.call('ZADD', P .. 'idle', redis.call('HINCRBY', totals, 'age', 1), id) end
if ARGV[8] == '1' then redis.call('ZADD', P .. 'seen', ARGV[6], id) end
local at = tonumber(ARGV[6])
putHead(s, {rev, 0, 0, at, at, 0, 0, 0, 0, 0, '', 0})
redis.call('HSET', s, 'c', ARGV[3], 'ch', ARGV[4], 'k', ARGV[5], 'a', '[]', 'f', '[]', 'gu', 0)
return 1`)

/** ARGV: id, rev, configuration, bytes, kept, now, clears, rewinds to, state; n, faults, applied, and ordinals of a new one. */
export const CHANGE = script(`${START}${LIMITS}
local id, s, j = ARGV[2], P .. 's:' .. ARGV[2], P .. 'j:' .. ARGV[2]
local h = headOf(s)
if not h then return -1 end
if h[${HEAD.rev}] ~= ARGV[3] then return 0 end
local own = redis.call('HMGET', s, 'ch', 'k', 'gu')
local more = tonumber(ARGV[5]) - tonumber(own[1])
if more > 0 and tonumber(redis.call('HGET', totals, 'held') or 0) + more > limit(${MAX_BYTES}) then return -4 end
if ARGV[6] == '1' and own[2] == '0' then
  if tonumber(redis.call('HGET', totals, 'kept') or 0) >= limit(${MAX_KEPT}) then return -3 end
  redis.call('HINCRBY', totals, 'kept', 1)
  redis.call('ZREM', P .. 'idle', id)
end
redis.call('HINCRBY', totals, 'held', more)
local at = math.max(tonumber(ARGV[7]), h[${HEAD.at}])
redis.call('ZADD', P .. 'seen', 'XX', whole(at), id)
redis.call('HSET', s, 'c', ARGV[4], 'ch', ARGV[5], 'k', ARGV[6])
h[${HEAD.rev}] = redis.call('HINCRBY', totals, 'rev', 1) .. ':' .. ARGV[1]
h[${HEAD.at}], h[${HEAD.seen}], h[${HEAD.turn}] = at, at, ''
if ARGV[10] == 'fresh' then
  redis.call('HSET', s, 'f', '[]', 'a', listOf(h, ${HEAD.ordinals}))
elseif ARGV[10] == 'new' then
  redis.call('HSET', s, 'f', ARGV[12], 'a', ARGV[13])
  h[${HEAD.n}] = tonumber(ARGV[11])
  for i = #h, ${HEAD.ordinals}, -1 do h[i] = nil end
  for i = 14, #ARGV, 2 do
    h[#h + 1] = ARGV[i]
    h[#h + 1] = tonumber(ARGV[i + 1])
  end
end
if ARGV[8] == '1' then
  redis.call('DEL', j)
  redis.call('HDEL', s, 'g', 'rk')
  redis.call('HINCRBY', totals, 'bytes', 0 - h[${HEAD.reported}])
  redis.call('ZREM', P .. 'journals', id)
  h[${HEAD.bytes}], h[${HEAD.reported}], h[${HEAD.keys}] = 0, 0, 0
elseif ARGV[9] ~= '' then
  local last, freed = tonumber(ARGV[9]), 0
  while true do
    local n, size = string.match(redis.call('LINDEX', j, -1) or '', '^%d+ (%d+) %d+ (%d+)')
    if not n or tonumber(n) <= last then
      if not n then redis.call('ZREM', P .. 'journals', id) end
      break
    end
    redis.call('RPOP', j)
    freed = freed + tonumber(size)
  end
  if freed > 0 then
    local bytes = h[${HEAD.bytes}] - freed
    redis.call('HINCRBY', totals, 'bytes', bytes - h[${HEAD.reported}])
    h[${HEAD.bytes}], h[${HEAD.reported}] = bytes, bytes
  end
  if tonumber(own[3]) > last then
    redis.call('HDEL', s, 'g')
    redis.call('HSET', s, 'gu', ARGV[9])
  end
end
putHead(s, h)
return 1`)

/** ARGV: id. */
export const DELETE = script(`${START}${REMOVE}
if redis.call('EXISTS', P .. 's:' .. ARGV[2]) == 0 then return -1 end
remove(ARGV[2])
return 1`)

/** ARGV: ms until an idle session expires. Returns the number of sessions that expired. */
export const EXPIRE = script(`${START}${REMOVE} return expire(whole(now() - tonumber(ARGV[2])))`)

/** ARGV: id. Returns the journal of a session. */
export const JOURNAL = script(`${START}
local s = P .. 's:' .. ARGV[2]
local h, own = headOf(s), redis.call('HMGET', s, 'g', 'gu')
if not h then return {-1} end
return {1, whole(h[${HEAD.added}]), own[1] or '[]', own[2], redis.call('LRANGE', P .. 'j:' .. ARGV[2], 0, -1)}`)

/** ARGV: id, number of an entry. Returns the entries after it. */
export const ENTRIES = script(`${START}
local h = headOf(P .. 's:' .. ARGV[2])
if not h then return {-1} end
local added = h[${HEAD.added}]
local fresh = added - tonumber(ARGV[3])
if fresh <= 0 then return {1, added, {}} end
return {1, added, redis.call('LRANGE', P .. 'j:' .. ARGV[2], whole(0 - fresh), -1)}`)

/** ARGV: id, milliseconds, whether replies are wanted. Asks servers for the events of a session, for some time. */
export const WATCH = script(`${START}
local s = P .. 's:' .. ARGV[2]
local h = headOf(s)
if not h then return -1 end
h[${HEAD.entriesUntil}] = now() + tonumber(ARGV[3])
if ARGV[4] == '1' then h[${HEAD.repliesUntil}] = h[${HEAD.entriesUntil}] end
putHead(s, h)
return 1`)

function script(lua: string): Script {
  return { lua, sha: createHash('sha1').update(lua).digest('hex') }
}
