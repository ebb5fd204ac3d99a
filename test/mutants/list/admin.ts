// Mistakes in the admin routes.
import type { Mutant } from '../mutant.js'

/** Mistakes in the admin routes. */
export const ADMIN: readonly Mutant[] = [
  {
    file: 'admin/administer.ts',
    find: "methods.includes('GET') ? ['HEAD'] : []",
    replace: '[]',
    why: 'HEAD is not among the allowed methods',
  },
  {
    file: 'admin/administer.ts',
    find: "method === 'HEAD' ? 'GET' : method",
    replace: 'method',
    why: 'HEAD is refused',
  },
  {
    file: 'admin/administer.ts',
    find: 'values.set(name, [known, value])',
    replace: 'values.set(name, value)',
    why: 'a parameter that is given twice is accepted',
  },
  {
    file: 'admin/administer.ts',
    find: "if (adminRoute.status === 204) return mockReply(204, '', [])",
    replace: '',
    why: 'a reply without a body has one',
  },
  {
    file: 'admin/sessions.ts',
    find: "id === 'default' ? '' : `/session/${id}`",
    replace: "''",
    why: 'a session has the address of the default one',
  },
  {
    file: 'admin/sessions.ts',
    find: 'Math.floor(nowMs / 1000)',
    replace: 'nowMs',
    why: 'a session shows milliseconds instead of seconds',
  },
  {
    file: 'mock-reply.ts',
    find: "...(status === 204 ? [] : ['content-length', String(body.length)])",
    replace: '',
    why: 'the length of a reply is missing',
  },
  {
    file: 'admin/reproduce-command.ts',
    find: 'Object.keys(overrides).length === 0 &&',
    replace: '',
    why: 'the command leaves out prices that were set',
  },
  {
    file: 'admin/reproduce-command.ts',
    find: 'unless(clock.speed === 1,',
    replace: 'unless(clock.speed !== 1,',
    why: 'the command leaves out a speed of its own',
  },
  {
    file: 'admin/reproduce-command.ts',
    find: 'value.replaceAll("\'", "\'\\\\\'\'")',
    replace: 'value',
    why: "a quote in a setting ends the command's word",
  },
  {
    file: 'admin/requests.ts',
    find: 'status === Number(query.status)',
    replace: 'status !== Number(query.status)',
    why: 'requests of other statuses are listed',
  },
  {
    file: 'admin/explain.ts',
    find: 'text.length - maxCharacters',
    replace: 'maxCharacters - text.length',
    why: 'a short body is cut and a long one is not',
  },
  {
    file: 'admin/openapi.ts',
    find: 'alias === 0 ? name :',
    replace: 'alias >= 0 ? name :',
    why: 'two operations share an id',
  },
  {
    file: 'admin/openapi.ts',
    find: 'security: endpoint.protected',
    replace: 'security: !endpoint.protected',
    why: 'the key is declared where none is asked for',
  },
  {
    file: 'admin/requests.ts',
    find: 'page.length < found.length ?',
    replace: 'page.length > found.length ?',
    why: 'a full page does not name the next one',
  },
  {
    file: 'admin/administer.ts',
    find: "assertNoProblems('REQUEST_INVALID', 'The body', findExcess(text))",
    replace: '',
    why: 'a body with too many values is parsed',
  },
]
