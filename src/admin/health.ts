// GET /_mock/health: whether the mock answers.
import * as z from 'zod/mini'
import { VERSION } from '../version.js'
import { defineLever } from './lever.js'

/** The lever `/_mock/health`: what readiness checks ask. */
export const health = defineLever({
  name: 'health',
  summary: 'Whether the mock is up',
  path: '/_mock/health',
  reply: z.object({ status: z.literal('ok'), version: z.string() }),
  answer: () => ({ status: 'ok' as const, version: VERSION }),
})
