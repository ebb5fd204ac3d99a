// The number of skipped tests of each host and block. Blocks that are not listed skip none; each block tests its number.
export const ADMITTED: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  'in process': { "the mock's own": 1 },
  fetch: { HTTP: 1, "the mock's own": 1 },
  msw: { HTTP: 1, "the mock's own": 1 },
  worker: { HTTP: 1, "the mock's own": 1 },
}
