// How many tests each host skips, by the block that they stand in; every other block skips none. A skip that is not admitted here
// fails a test of its block, and so does one that is admitted and not needed any more.
export const ADMITTED: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  'in process': { 'the Host check': 29, HTTP: 1, "the mock's own": 1 },
  fetch: { 'the Host check': 29, HTTP: 2, "the mock's own": 1 },
  msw: { 'the Host check': 29, HTTP: 2, "the mock's own": 1 },
  worker: { 'the Host check': 29, HTTP: 2, "the mock's own": 1 },
}
