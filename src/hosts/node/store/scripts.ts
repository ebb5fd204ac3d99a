// The scripts of the store in Redis besides that of requests. Each is one atomic step, and all keys have one hash tag, which is one
// slot of a cluster.
import { MAX_BYTES, MAX_KEPT, SMALL_BYTES } from '../../../service/admission.js'
import { MAX_EVICTED } from '../../../service/sessions.js'
import { HEAD, LIMITS, START, script } from './script-parts.js'

/** Sessions that one call expires at most. */
const MAX_EXPIRED = 100

const REMOVE = `
local function remember(id)
  redis.call('ZADD', P .. 'idled', redis.call('HINCRBY', totals, 'age', 1), id)
  if redis.call('ZCARD', P .. 'idled') > ${MAX_EVICTED} then redis.call('ZREMRANGEBYRANK', P .. 'idled', 0, 0) end
end
local function remove(id)
  -- Also one that cannot be read, which would stop the others from expiring.
  local isRead, h = pcall(headOf, P .. 's:' .. id)
  local isHash, own = pcall(redis.call, 'HMGET', P .. 's:' .. id, 'ch', 'k')
  -- First: a Redis that is full refuses commands that may need memory, unless the script has removed something.
  redis.call('DEL', P .. 's:' .. id, P .. 'j:' .. id)
  if isHash and tonumber(own[1]) then
    redis.call('HINCRBY', totals, 'held', 0 - own[1])
    if own[2] == '1' then redis.call('HINCRBY', totals, 'kept', -1) end
  end
  if isRead and type(h) == 'table' and tonumber(h[${HEAD.reported}]) then
    redis.call('HINCRBY', totals, 'bytes', 0 - h[${HEAD.reported}])
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

/** ARGV: a name for the store, a description, and its largest number of sessions. Returns the name and description that it has. */
export const BIRTH = script(`
if redis.call('EXISTS', KEYS[1]) == 0 then
  redis.call('SET', KEYS[1], ARGV[1])
  redis.call('SET', string.sub(KEYS[1], 1, -5) .. 'birth', ARGV[2])
  redis.call('HSET', string.sub(KEYS[1], 1, -5) .. 'totals', 'most', ARGV[3])
end
local function textOf(key)
  local text = redis.pcall('GET', key)
  return type(text) == 'string' and text
end
return {textOf(KEYS[1]), textOf(string.sub(KEYS[1], 1, -5) .. 'birth')}`)

/** Returns the time of Redis. */
export const CLOCK = script(`${START} return redis.call('TIME')`)

/** ARGV: id. Returns all fields of a session, or whether it was idle. */
export const LOAD = script(`${START}
local s = P .. 's:' .. ARGV[2]
local fields = redis.pcall('HGETALL', s)
if fields.err then return string.find(fields.err, 'WRONGTYPE') and {2, fields.err} or fields end
if #fields > 0 then return {1, fields} end
return {-1, redis.call('ZSCORE', P .. 'idled', ARGV[2]) and 1 or 0}`)

/** Returns the ids of all sessions, oldest first. */
export const IDS = script(`${START} return redis.call('ZRANGE', P .. 'all', 0, -1)`)

/** ARGV: name of a total, or `size`. Returns it after adding 1, or the number of sessions. */
export const NUMBER = script(`${START}
if ARGV[2] == 'size' then return redis.call('ZCARD', P .. 'all') end
return redis.call('HINCRBY', totals, ARGV[2], 1)`)

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
  if own > ${SMALL_BYTES} and held() + own > limit(${MAX_BYTES}) then return -4 end
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
if more > 0 and tonumber(ARGV[5]) > ${SMALL_BYTES} and tonumber(redis.call('HGET', totals, 'held') or 0) + more > limit(${MAX_BYTES}) then return -4 end
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
