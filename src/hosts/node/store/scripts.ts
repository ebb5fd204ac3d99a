// The scripts of the store in Redis. Each is one atomic step, and all keys have one hash tag, which is one slot of a cluster.
import { createHash } from 'node:crypto'
import { MAX_JOURNAL_BYTES, MAX_JOURNAL_ENTRIES, MAX_POOL_BYTES } from '../../../service/journal.js'
import { MAX_KEYS } from '../../../service/refused-keys.js'
import { MAX_BYTES, MAX_EVICTED, MAX_KEPT, MAX_SESSIONS } from '../../../service/sessions.js'

/** A script with the name by which Redis knows it. */
export interface Script {
  readonly lua: string
  readonly sha: string
}

/** The share of a journal by which it may grow before its oldest entries are counted and dropped, many at a time. */
const SLACK = 1.1
/** Bytes by which the total of all journals may lag behind one of them. */
const STEP_BYTES = 16_384
/** Milliseconds that a server has the turn after others were faster. */
const TURN_MS = 50
/** Sessions that one call expires at most. */
const MAX_EXPIRED = 100

// KEYS[1] is the key `born`; ARGV[1] the name that the store got from its first server, ARGV[2] often the id of a session.
// s:ID is a hash: rev, c (configuration), ch (its bytes), k (kept), n, o:ENDPOINT, oo (their order), a, f, at, seen, added, jb, g, gu,
// turn, until, watch, replies, rk (keys that got a 401). j:ID is the list of its journal, oldest first: added n ordinal bytes status now received endpoint JSON.
// The total of `bytes` in all journals has `jr` of a session, which follows its `jb` in steps: one command less for each request.
const START = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return {-2} end
local P = string.sub(KEYS[1], 1, -5)
local totals = P .. 'totals'
local function now() local t = redis.call('TIME') return t[1] * 1000 + math.floor(t[2] / 1000) end
local function whole(number) return string.format('%d', number) end
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
  local h = redis.call('HMGET', P .. 's:' .. id, 'ch', 'k', 'jr')
  -- First: a Redis that is full refuses commands that may need memory, unless the script has removed something.
  redis.call('DEL', P .. 's:' .. id, P .. 'j:' .. id)
  if h[1] then
    redis.call('HINCRBY', totals, 'held', 0 - h[1])
    redis.call('HINCRBY', totals, 'bytes', 0 - h[3])
    if h[2] == '1' then redis.call('HINCRBY', totals, 'kept', -1) end
  end
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
local function report(id, bytes)
  local s = P .. 's:' .. id
  local change = bytes - tonumber(redis.call('HGET', s, 'jr'))
  redis.call('HSET', s, 'jr', whole(bytes))
  return tonumber(redis.call('HINCRBY', totals, 'bytes', change))
end
local function trim(id, entries, most, need, before)
  local s, j = P .. 's:' .. id, P .. 'j:' .. id
  local h = redis.call('HMGET', s, 'jb', 'g')
  local bytes, gone = tonumber(h[1]), h[2] and cjson.decode(h[2]) or {}
  local length = redis.call('LLEN', j)
  local freed, last, age = 0, nil, 0
  local popped, taken = length > entries and redis.call('LPOP', j, whole(length - entries)) or {}, 0
  while length > 0 and (length > entries or bytes - freed > most or (freed < need and age < before)) do
    taken = taken + 1
    local line = popped[taken] or redis.call('LPOP', j)
    local n, size, status, second, received, endpoint = string.match(line, '^%d+ (%d+) %d+ (%d+) (%d+) (%S+) (%S+) (%S+)')
    local one
    for _, known in ipairs(gone) do if known.endpoint == endpoint then one = known end end
    if not one then
      one = {endpoint = endpoint, requests = 0, statuses = {}}
      gone[#gone + 1] = one
    end
    one.requests = one.requests + 1
    one.statuses[status] = (one.statuses[status] or 0) + 1
    one.virtual = count(one.virtual, tonumber(second) * 1000)
    one.real = count(one.real, tonumber(received))
    freed, last, age, length = freed + tonumber(size), n, tonumber(received), length - 1
  end
  if not last then return end
  redis.call('HSET', s, 'g', cjson.encode(gone), 'gu', last, 'jb', whole(bytes - freed))
  if length == 0 then redis.call('ZREM', P .. 'journals', id)
  else redis.call('ZADD', P .. 'journals', string.match(redis.call('LINDEX', j, 0), '^%d+ %d+ %d+ %d+ %d+ %S+ (%S+)'), id) end
  return report(id, bytes - freed)
end
`

// The ordinals of a session as the members of a JSON object, in the order in which they were first counted.
const ORDINALS = `
local function ordinals(s, order)
  local list = {}
  for token in string.gmatch(order or '', '[^\\n]+') do
    list[#list + 1] = token .. ':' .. (redis.call('HGET', s, 'o:' .. token) or '0')
  end
  return '{' .. table.concat(list, ',') .. '}'
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

/**
 * ARGV: id, rev, n, faults, at, server, ms between two notes of use, bytes of all entries, whether all keys have marks, number of
 * endpoints, the endpoints, and of each entry the number of its endpoint (0 for none), the mark of its key and its line.
 */
export const COMMIT = script(`
local P = string.sub(KEYS[1], 1, -5)
local id, s, j = ARGV[2], P .. 's:' .. ARGV[2], P .. 'j:' .. ARGV[2]
local fields = {'HMGET', s, 'rev', 'n', 'added', 'turn', 'until', 'k', 'at', 'seen', 'watch', 'replies', 'jb', 'jr', 'oo', 'rk'}
local endpoints = tonumber(ARGV[11])
for i = 1, endpoints do fields[16 + i] = 'o:' .. ARGV[11 + i] end
local h = redis.call(unpack(fields))
if h[1] ~= ARGV[3] then
  if redis.call('GET', KEYS[1]) ~= ARGV[1] then return {-2} end
  if not h[1] then return {-1} end
  return {2, redis.call('HGETALL', s)}
end
if h[14] and ARGV[10] == '0' then return {4} end
local totals = P .. 'totals'
local function now() local t = redis.call('TIME') return t[1] * 1000 + math.floor(t[2] / 1000) end
local function whole(number) return string.format('%d', number) end
if ARGV[4] ~= '' then
  if h[4] ~= '' and h[4] ~= ARGV[7] and now() < tonumber(h[5]) then return {3} end
  if h[2] ~= ARGV[4] then
    ${ORDINALS}
    redis.call('HSET', s, 'turn', ARGV[7], 'until', whole(now() + ${TURN_MS}))
    return {0, h[2], h[7], redis.call('HGET', s, 'f'), ordinals(s, h[13])}
  end
end
local n, added, order, at = tonumber(h[2]), tonumber(h[3]), h[13], tonumber(ARGV[6])
local out, counts, push = {1, n, 0, 0}, {}, {'RPUSH', j}
for i = 1, endpoints do counts[i] = tonumber(h[14 + i] or 0) end
local refused = h[14] and cjson.decode(h[14]) or {last = 0, marks = {}}
local isRefused = false
for i = 12 + endpoints, #ARGV, 3 do
  n, added = n + 1, added + 1
  local which, ordinal = tonumber(ARGV[i]), 0
  if which > 0 then
    ordinal = counts[which] + 1
    counts[which] = ordinal
  end
  local line, mark = ARGV[i + 2], ARGV[i + 1]
  if mark ~= '' then
    local name, number = string.gsub(mark, '^!', ''), nil
    for _, known in ipairs(refused.marks) do if known[1] == name then number = known[2] end end
    if not number and name ~= mark then
      number = refused.last + 1
      refused.last = number
      refused.marks[#refused.marks + 1] = {name, number}
      if #refused.marks > ${MAX_KEYS} then table.remove(refused.marks, 1) end
      isRefused = true
    end
    if number then line = line .. ' ' .. number end
  end
  push[#push + 1] = string.format('%d %d %d %s', added, n, ordinal, line)
  out[#out + 1] = ordinal
end
local length = redis.call(unpack(push))
local bytes = tonumber(h[11]) + tonumber(ARGV[9])
if at < tonumber(h[7]) then at = tonumber(h[7]) end
local set = {'HSET', s, 'n', whole(n), 'added', whole(added), 'at', whole(at), 'jb', whole(bytes)}
for i = 1, endpoints do
  local token = ARGV[11 + i]
  set[#set + 1] = 'o:' .. token
  set[#set + 1] = counts[i]
  if not h[14 + i] then order = order .. token .. '\\n' end
end
if order ~= h[13] then set[#set + 1] = 'oo' set[#set + 1] = order end
if ARGV[5] ~= '' then set[#set + 1] = 'f' set[#set + 1] = ARGV[5] end
if isRefused then set[#set + 1] = 'rk' set[#set + 1] = cjson.encode(refused) end
if h[4] ~= '' and h[4] == ARGV[7] then set[#set + 1] = 'turn' set[#set + 1] = '' end
if at - tonumber(h[8]) >= tonumber(ARGV[8]) then
  set[#set + 1] = 'seen' set[#set + 1] = whole(at)
  redis.call('ZADD', P .. 'seen', 'XX', whole(at), id)
end
redis.call(unpack(set))
if h[6] == '0' then redis.call('ZADD', P .. 'idle', 'XX', redis.call('HINCRBY', totals, 'age', 1), id) end
if length == #push - 2 then redis.call('ZADD', P .. 'journals', whole(at), id) end
local isLong = length > ${MAX_JOURNAL_ENTRIES * SLACK} or bytes > ${MAX_JOURNAL_BYTES * SLACK}
if isLong or bytes - tonumber(h[12]) >= ${STEP_BYTES} then
  ${TRIM}
  ${LIMITS}
  local total = isLong and trim(id, ${MAX_JOURNAL_ENTRIES}, ${MAX_JOURNAL_BYTES}, 0, 0) or report(id, bytes)
  while total > limit(${MAX_POOL_BYTES}) do
    local oldest = redis.call('ZRANGE', P .. 'journals', 0, 1, 'WITHSCORES')
    local less = oldest[1] and trim(oldest[1], math.huge, math.huge, total - limit(${MAX_POOL_BYTES}), tonumber(oldest[4] or math.huge))
    if not less or less >= total then break end
    total = less
  end
end
out[3] = added
if h[9] and tonumber(h[9]) > at then
  out[4] = h[10] and tonumber(h[10]) > at and 2 or 1
  redis.call('PUBLISH', P .. 'e:' .. id, 'entries')
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
redis.call('HSET', s, 'rev', rev, 'c', ARGV[3], 'ch', ARGV[4], 'k', ARGV[5], 'at', ARGV[6], 'seen', ARGV[6], 'n', 0, 'oo', '', 'a', '{}',
  'f', '[]', 'added', 0, 'jb', 0, 'jr', 0, 'gu', 0, 'turn', '')
return 1`)

/** ARGV: id, rev, configuration, bytes, kept, now, clears, rewinds to, state; n, faults, applied, order, and ordinals of a new one. */
export const CHANGE = script(`${START}${ORDINALS}${LIMITS}
local id, s, j = ARGV[2], P .. 's:' .. ARGV[2], P .. 'j:' .. ARGV[2]
local h = redis.call('HMGET', s, 'rev', 'ch', 'k', 'at', 'oo', 'jr', 'gu')
if not h[1] then return -1 end
if h[1] ~= ARGV[3] then return 0 end
local more = tonumber(ARGV[5]) - tonumber(h[2])
if more > 0 and tonumber(redis.call('HGET', totals, 'held') or 0) + more > limit(${MAX_BYTES}) then return -4 end
if ARGV[6] == '1' and h[3] == '0' then
  if tonumber(redis.call('HGET', totals, 'kept') or 0) >= limit(${MAX_KEPT}) then return -3 end
  redis.call('HINCRBY', totals, 'kept', 1)
  redis.call('ZREM', P .. 'idle', id)
end
redis.call('HINCRBY', totals, 'held', more)
local at = math.max(tonumber(ARGV[7]), tonumber(h[4]))
redis.call('ZADD', P .. 'seen', 'XX', whole(at), id)
redis.call('HSET', s, 'rev', redis.call('HINCRBY', totals, 'rev', 1) .. ':' .. ARGV[1], 'c', ARGV[4], 'ch', ARGV[5], 'k', ARGV[6], 'at', whole(at),
  'seen', whole(at), 'turn', '')
if ARGV[10] == 'fresh' then redis.call('HSET', s, 'f', '[]', 'a', ordinals(s, h[5])) end
if ARGV[10] == 'new' then
  for token in string.gmatch(h[5], '[^\\n]+') do redis.call('HDEL', s, 'o:' .. token) end
  redis.call('HSET', s, 'n', ARGV[11], 'f', ARGV[12], 'a', ARGV[13], 'oo', ARGV[14])
  for i = 15, #ARGV, 2 do redis.call('HSET', s, 'o:' .. ARGV[i], ARGV[i + 1]) end
end
if ARGV[8] == '1' then
  redis.call('DEL', j)
  redis.call('HDEL', s, 'g', 'rk')
  redis.call('HSET', s, 'jb', 0, 'jr', 0)
  redis.call('HINCRBY', totals, 'bytes', 0 - h[6])
  redis.call('ZREM', P .. 'journals', id)
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
    local bytes = redis.call('HINCRBY', s, 'jb', 0 - freed)
    redis.call('HSET', s, 'jr', bytes)
    redis.call('HINCRBY', totals, 'bytes', bytes - h[6])
  end
  if tonumber(h[7]) > last then
    redis.call('HDEL', s, 'g')
    redis.call('HSET', s, 'gu', ARGV[9])
  end
end
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
local h = redis.call('HMGET', P .. 's:' .. ARGV[2], 'added', 'g', 'gu')
if not h[1] then return {-1} end
return {1, h[1], h[2] or '[]', h[3], redis.call('LRANGE', P .. 'j:' .. ARGV[2], 0, -1)}`)

/** ARGV: id, number of an entry. Returns the entries after it. */
export const ENTRIES = script(`${START}
local added = redis.call('HGET', P .. 's:' .. ARGV[2], 'added')
if not added then return {-1} end
local fresh = tonumber(added) - tonumber(ARGV[3])
if fresh <= 0 then return {1, added, {}} end
return {1, added, redis.call('LRANGE', P .. 'j:' .. ARGV[2], -fresh, -1)}`)

/** ARGV: id, milliseconds, whether replies are wanted. Asks servers for the events of a session, for some time. */
export const WATCH = script(`${START}
local s = P .. 's:' .. ARGV[2]
if redis.call('EXISTS', s) == 0 then return -1 end
local till = whole(now() + tonumber(ARGV[3]))
redis.call('HSET', s, 'watch', till)
if ARGV[4] == '1' then redis.call('HSET', s, 'replies', till) end
return 1`)

function script(lua: string): Script {
  return { lua, sha: createHash('sha1').update(lua).digest('hex') }
}
