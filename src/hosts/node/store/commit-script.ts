// The script that counts requests and adds them to the journals of their sessions.
import { MAX_JOURNAL_BYTES, MAX_JOURNAL_ENTRIES, MAX_POOL_BYTES } from '../../../service/journal.js'
import { HEAD, LIMITS, START, script } from './script-parts.js'

/** The share of a journal by which it may grow before its oldest entries are counted and dropped, many at a time. */
const SLACK = 1.1
/** A journal with more entries is trimmed. */
const LONG_ENTRIES = MAX_JOURNAL_ENTRIES * SLACK
/** The same in bytes. */
export const LONG_BYTES = MAX_JOURNAL_BYTES * SLACK
/** Bytes by which the total of all journals may lag behind one of them. */
export const REPORT_BYTES = 16_384
/** Milliseconds that a server has the turn after others were faster. */
const TURN_MS = 50

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

/** Letters for the things that a commit may ask for. */
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
