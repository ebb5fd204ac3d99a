// Mistakes in the client and in the kits for tests.
import type { Mutant } from '../mutant.js'

/** Mistakes in the client and in the kits for tests. */
export const KITS: readonly Mutant[] = [
  {
    file: 'client/client.ts',
    find: "endpoint.base === 'history' ? historyUrl : baseUrl",
    replace: "endpoint.base === 'history' ? baseUrl : historyUrl",
    why: 'the two addresses are exchanged',
  },
  {
    file: 'client/client.ts',
    find: 'endpoint.protected && apiKey !== undefined',
    replace: 'apiKey !== undefined',
    why: 'the key is sent where it is not asked for',
  },
  {
    file: 'client/client.ts',
    find: 'response.status !== 200',
    replace: 'response.status >= 400',
    why: 'a reply of 204 is read as JSON',
  },
  { file: 'client/client.ts', find: ".join(',')", replace: ".join(';')", why: 'a list is joined by the wrong sign' },
  {
    file: 'client/admin.ts',
    find: 'encodeURIComponent(String(input[name]))',
    replace: 'String(input[name])',
    why: 'an id is not encoded',
  },
  {
    file: 'client/admin.ts',
    find: 'filter(([, value]) => value !== undefined)',
    replace: 'filter(() => true)',
    why: 'a filter that is not set is sent',
  },
  {
    file: 'testing/test-target.ts',
    find: 'if (keys.length === 0) return serverTarget(url, token)',
    replace: 'return serverTarget(url, token)',
    why: 'options that a shared server ignores are accepted',
  },
  {
    file: 'hosts/answer.ts',
    find: 'receivedAt: mock.realTime()',
    replace: 'receivedAt: Date.now()',
    why: 'fake timers of a test reach the session',
  },
  {
    file: 'testing/price-feed.ts',
    find: 'if (seen.length >= count) return seen',
    replace: 'if (seen.length > count) return seen',
    why: 'one request too many is waited for',
  },
  {
    file: 'testing/price-feed.ts',
    find: "entry.method !== 'OPTIONS'",
    replace: 'true',
    why: 'preflights count as requests',
  },
  {
    file: 'testing/price-feed.ts',
    find: 'hits === 0 ||',
    replace: 'hits < 0 ||',
    why: 'a fault that never fired is not reported',
  },
  {
    file: 'testing/price-feed.ts',
    find: 'if (faults.length === 0) throw nonePlanned()',
    replace: '',
    why: 'a session without faults passes as one whose faults fired',
  },
  {
    file: 'testing/page-clock.ts',
    find: 'Math.max(0, nowMs - beforeMs)',
    replace: 'nowMs - beforeMs',
    why: 'a clock that is set back makes pages go forward',
  },
  {
    file: 'testing/page-clock.ts',
    find: 'if (!frozen) assertRealSpeed(speed)',
    replace: '',
    why: 'a page follows a clock that is faster than it can be',
  },
  {
    file: 'testing/price-feed.ts',
    find: 'hits === 0 || hidden !== undefined',
    replace: 'hits === 0',
    why: 'a fault that no route could show counts as fired',
  },
]
