// The scripts of the store in Redis. Each run is one atomic step, and all keys have one hash tag, which is one slot of a cluster.
import { createHash } from 'node:crypto'
import { MAX_BYTES, MAX_KEPT, MAX_SESSIONS, SMALL_BYTES } from '../../../service/admission.js'
import { MAX_POOL_BYTES } from '../../../service/journal.js'
import { SCENARIO } from '../../../service/request.js'
import { MAX_EVICTED } from '../../../service/sessions.js'

/** A script with the name by which Redis knows it. */
export type Script = ReturnType<typeof script>

const script = (lua: string) => ({ lua, sha: createHash('sha1').update(lua).digest('hex') })

/** Milliseconds that a server has the turn after others were faster. */
const TURN_MS = 50
/** Sessions that are removed at a time because they are idle. */
const MAX_EXPIRED = 100
/** Bytes that a small session may hold besides those that it is charged for. */
const MAX_CHARGES = MAX_BYTES - MAX_SESSIONS * SMALL_BYTES

/*
 * KEYS[1] is the key `born`; ARGV[1] the name that the store got from its first server. The first result is -2 if they differ: the
 * store has lost its content.
 * s:ID is a hash: rev, setup, counters, gone, charge, named, bytes (of its journal), and turn with until: the server that goes first,
 * and up to when. j:ID lists its entries, oldest first.
 * all: ids in order of creation. used:0 and used:1: ids that may and may not be evicted, by the microsecond of their last use.
 * evicted: ids by time. journals: ids by the time of their oldest entry. totals: held (charges), bytes (of journals), order, named.
 * w:ID exists while streams want the entries of a session, and the replies.
 */

/** ARGV: commands, as JSON. Returns their replies. */
export const COMMANDS_IF_BORN = script(`
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return {-2} end
local replies = {}
for i, command in ipairs(cjson.decode(ARGV[2])) do replies[i] = redis.pcall(unpack(command)) end
return replies`)

/** The beginning of a script that removes sessions: when it runs, and how one is removed. */
const REMOVE = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return {-2} end
local P, t = string.sub(KEYS[1], 1, -5), redis.call('TIME')
local totals, used = P .. 'totals', t[1] .. string.format('%06d', t[2])
local function remove(id, isEvicted)
  -- Also one that cannot be read.
  local own = redis.pcall('HMGET', P .. 's:' .. id, 'charge', 'bytes')
  -- First: a Redis that is full refuses commands that may need memory, unless the script has removed something.
  if redis.call('DEL', P .. 's:' .. id, P .. 'j:' .. id) == 0 then return false end
  redis.call('HINCRBY', totals, 'held', 0 - (tonumber(own[1]) or 0))
  redis.call('HINCRBY', totals, 'bytes', 0 - (tonumber(own[2]) or 0))
  for _, set in ipairs({'all', 'used:0', 'used:1', 'journals'}) do redis.call('ZREM', P .. set, id) end
  redis.call('PUBLISH', P .. 'e:' .. id, 'closed')
  if isEvicted then
    redis.call('ZADD', P .. 'evicted', used, id)
    redis.call('ZREMRANGEBYRANK', P .. 'evicted', 0, ${-1 - MAX_EVICTED})
  end
  return true
end`

/** Removes sessions that have been idle for long, besides those of scenarios. ARGV: the time in milliseconds. */
export const EXPIRE = script(`${REMOVE}
local rest = ${MAX_EXPIRED}
for _, set in ipairs({'used:0', 'used:1'}) do
  for _, id in ipairs(redis.call('ZRANGEBYSCORE', P .. set, '-inf', used - ARGV[2] * 1000)) do
    if rest > 0 and string.sub(id, 1, ${SCENARIO.length}) ~= '${SCENARIO}' and remove(id, true) then rest = rest - 1 end
  end
end
return {}`)

/**
 * ARGV: who has the next turn after a loss, largest number of sessions, and for each of several sessions: id, expected revision (empty
 * for a new one), next one (empty deletes), setup (empty where it is the same), counters, charge, whether it is named, bytes of its
 * journal, time of its oldest entry, the part of the journal that stays (empty for all of it) and counts of the entries that are gone,
 * number of entries, the entries. Returns a result for each.
 */
export const COMMIT = script(`${REMOVE}
local me, most, now = ARGV[2], tonumber(ARGV[3]), t[1] * 1000 + math.floor(t[2] / 1000)
local function limit(amount) return amount / ${MAX_SESSIONS} * most end
local function evict(except)
  local idle = redis.call('ZRANGE', P .. 'used:0', 0, 1)
  local idlest = idle[1] == except and idle[2] or idle[1]
  return idlest and idlest ~= except and remove(idlest, true)
end
-- Makes room for a session, or returns why there is none.
local function admit(id, more, isNew, becomesNamed)
  local function isTooMuch() return more > 0 and tonumber(redis.call('HGET', totals, 'held') or 0) + more > limit(${MAX_CHARGES}) end
  if id == 'default' and isNew then return end
  while isTooMuch() and evict(id) do end
  if isTooMuch() then return 'too-much' end
  if becomesNamed and redis.call('ZCARD', P .. 'used:1') >= limit(${MAX_KEPT}) then return 'full' end
  if isNew and redis.call('ZCARD', P .. 'all') > most then evict() end
  redis.call('HINCRBY', totals, 'held', more)
end
local function commit(a, entry, last)
  local id, expected, rev, setup, counters, charge, named, bytes, since, from, to, gone = unpack(ARGV, a, a + 11)
  local s, j, channel = P .. 's:' .. id, P .. 'j:' .. id, P .. 'e:' .. id
  if rev == '' then return remove(id) and 'done' or 'absent' end
  local known = redis.pcall('HMGET', s, 'rev', 'turn', 'until', 'charge', 'named', 'bytes')
  if expected == '' and (known.err or known[1]) then return 'exists' end
  if expected ~= '' then
    if known.err or not known[1] then return 'absent' end
    if known[2] and known[2] ~= me and now < tonumber(known[3]) then return 'wait' end
    if known[1] ~= expected then
      redis.call('HSET', s, 'turn', me, 'until', now + ${TURN_MS})
      return {'changed', redis.call('HGETALL', s)}
    end
  end
  if setup ~= '' then
    local problem = admit(id, charge - (known[4] or 0), not known[1], named == '1' and known[5] ~= '1')
    if problem then return problem end
    redis.call('HSET', s, 'setup', setup, 'charge', charge, 'named', named)
    if not known[1] then
      redis.call('ZADD', P .. 'all', redis.call('HINCRBY', totals, 'order', 1), id)
      redis.call('ZREM', P .. 'evicted', id)
    end
    if named == '1' then redis.call('ZREM', P .. 'used:0', id) end
  end
  redis.call('HSET', s, 'rev', rev, 'counters', counters)
  if known[2] then redis.call('HDEL', s, 'turn', 'until') end
  if id ~= 'default' then redis.call('ZADD', P .. 'used:' .. named, used, id) end
  if entry <= last then redis.call('RPUSH', j, unpack(ARGV, entry, last)) end
  if from ~= '' then
    redis.call('LTRIM', j, from, to)
    redis.call('HSET', s, 'gone', gone)
  end
  local result, more = 'done', bytes - (known[6] or 0)
  if more ~= 0 then
    redis.call('HSET', s, 'bytes', bytes)
    if redis.call('HINCRBY', totals, 'bytes', more) > limit(${MAX_POOL_BYTES}) then result = result .. ' over' end
    if bytes == '0' then redis.call('ZREM', P .. 'journals', id) else redis.call('ZADD', P .. 'journals', since, id) end
  end
  if redis.call('EXISTS', P .. 'w:' .. id) == 1 then
    redis.call('PUBLISH', channel, 'entries')
    result = result .. ' replies'
  end
  return result
end
local results, a = {}, 4
while ARGV[a] do
  local last = a + 12 + ARGV[a + 12]
  results[#results + 1] = commit(a, a + 13, last)
  a = last + 1
end
return results`)

/** The commands of these scripts. */
export const COMMANDS = `DEL GET SET EXISTS PUBLISH TIME HGET HGETALL HMGET HSET HINCRBY HDEL RPUSH LRANGE LTRIM
ZADD ZCARD ZRANGE ZRANGEBYSCORE ZREM ZREMRANGEBYRANK ZSCORE`

/**
 * The first step of a server. It checks the rights of its user, without one of which a script would stop in its middle: Redis 6 cannot tell
 * them. The first server leaves its fingerprint. ARGV: that of this server as text, and a name for the store. Returns the name that the
 * store has, and the fingerprint of its servers; keys of another program may be no texts.
 */
export const JOIN = script(`
local P = string.sub(KEYS[1], 1, -5)
for name in string.gmatch([[${COMMANDS}]], '%u+') do
  if redis.acl_check_cmd and not redis.acl_check_cmd(name, P .. (name == 'PUBLISH' and 'e:' or 'rights')) then
    return {err = 'NOPERM this user has no permissions to run ' .. name .. ' in a script'}
  end
end
if redis.call('EXISTS', KEYS[1]) == 0 then
  redis.call('SET', P .. 'birth', ARGV[1], 'NX')
  redis.call('SET', KEYS[1], ARGV[2])
end
return {redis.pcall('GET', KEYS[1]), redis.pcall('GET', P .. 'birth')}`)
