// What only a server can answer, since it is no outcome: listed here for the index and for the nearest route.

/** Routes that `hosts/node` answers itself. */
export const HOST_ROUTES = [
  { path: '/_mock/metrics', summary: 'What the server counts, for Prometheus' },
  {
    path: '/_mock/sessions/{id}/events',
    summary: 'The journal of a session as Server-Sent Events; Last-Event-ID resumes',
  },
] as const
