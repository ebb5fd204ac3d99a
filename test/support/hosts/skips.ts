// The number of skipped tests of each host and block. Blocks that are not listed skip none; each block tests its number.
export const ADMITTED: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  'in process': { 'the Host check': 12, HTTP: 1, "the mock's own": 1 },
  fetch: { 'the Host check': 12, HTTP: 2, "the mock's own": 1 },
  msw: { 'the Host check': 12, HTTP: 2, "the mock's own": 1 },
  worker: { 'the Host check': 12, HTTP: 2, "the mock's own": 1 },
}
