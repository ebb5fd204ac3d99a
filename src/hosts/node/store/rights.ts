// The commands of Redis that the scripts of a store need: a user without one of them would stop a script in its middle.
import { type Script, script } from './script.js'

/** The commands besides TIME with arguments that have no lasting effect on a key that does not exist before. */
export const COMMANDS: Readonly<Record<string, readonly string[]>> = {
  // First, since it removes what others leave.
  DEL: [],
  GET: [],
  SET: [''],
  EXISTS: [],
  HGET: ['a'],
  HGETALL: [],
  HMGET: ['a'],
  HSET: ['a', '1'],
  HINCRBY: ['a', '1'],
  HDEL: ['a'],
  RPUSH: ['a'],
  LRANGE: ['0', '0'],
  LTRIM: ['0', '0'],
  ZADD: ['1', 'a'],
  ZCARD: [],
  ZRANGE: ['0', '0'],
  ZRANGEBYSCORE: ['0', '0'],
  ZREM: ['a'],
  ZREMRANGEBYRANK: ['0', '0'],
  ZSCORE: ['a'],
  PUBLISH: [''],
}

const quote = (text: string): string => `'${text}'`

/** Returns the error of Redis for the first command that its user may not run, or nothing. */
const LUA = `
local P = string.sub(KEYS[1], 1, -5)
local function denied(name, reply)
  if type(reply) == 'table' and reply.err and (string.find(reply.err, 'NOPERM') or string.find(reply.err, 'The user executing') or string.find(reply.err, 'ACL failure')) then
    return {err = 'NOPERM this user has no permissions to run ' .. name .. ' in a script'}
  end
end
for _, command in ipairs({${Object.entries(COMMANDS)
  .map(([name, args]) => `{${[name, ...args].map(quote).join(',')}}`)
  .join(',')}}) do
  local name = table.remove(command, 1)
  local reply = redis.pcall(name, P .. (name == 'PUBLISH' and 'e:' or 'rights'), unpack(command))
  local problem = denied(name, reply)
  if problem then return problem end
  if name ~= 'DEL' then redis.pcall('DEL', P .. 'rights') end
end
return denied('TIME', redis.pcall('TIME'))`

/** The check of the rights that a user needs. */
export const RIGHTS: Script = script(LUA)
