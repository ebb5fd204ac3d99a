// Admin routes that only a server answers, because their replies are no plain JSON. hosts/node implements them.

/** Every route that only a server answers. `description` is that of the body, and `headers` are those of a request. */
export const HOST_ROUTES = [
  {
    name: 'metrics',
    path: '/_mock/metrics',
    summary: 'Counters of the server, for Prometheus',
    mediaType: 'text/plain',
    description: 'Counters in the text format of Prometheus.',
    errors: [],
    headers: {},
  },
  {
    name: 'events',
    path: '/_mock/sessions/{id}/events',
    summary: 'The journal of a session as Server-Sent Events; Last-Event-ID resumes',
    mediaType: 'text/event-stream',
    description:
      'One event `request` for each request; its `data` is a journal entry as JSON (JournalEntry). With `?replies=1` the data of a new request has `reply` as well: `kind`, `delayMs`, `headers` and `body`, and `bodyLength` if the body was truncated. After an event `cleared` the entries before it are gone, by a reset for instance, and those that stay follow. A reader that is too slow gets a last event `dropped` and is disconnected.',
    errors: ['SESSION_UNKNOWN', 'STREAMS_FULL'],
    headers: { 'Last-Event-ID': 'Number of the last event received: the stream begins with the next one.' },
  },
] as const
/** A route that only a server answers, as the index page and the OpenAPI document list it. */
export type HostRoute = (typeof HOST_ROUTES)[number]
