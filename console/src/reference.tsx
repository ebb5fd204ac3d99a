// The API page: the OpenAPI document of the service and the admin, readable, with requests against the running mock.
import { useEffect, useMemo, useState } from 'preact/hooks'
import { admin, adminHeaders, ROOT } from './api'
import { formatDuration, matches } from './format'
import { refreshAll, session } from './state'
import { useStore } from './store'
import { Badge, Copy, Panel, Search, Snippet, statusTone, Text } from './ui'

interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly description?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: Schema | boolean
  readonly example?: unknown
}

interface Parameter {
  readonly $ref?: string
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly description?: string
  readonly schema?: Schema
  readonly example?: unknown
}

interface Media {
  readonly schema?: Schema
  readonly example?: unknown
}

interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  readonly tags?: readonly string[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> }
  readonly responses: Readonly<
    Record<
      string,
      { readonly $ref?: string; readonly description?: string; readonly content?: Readonly<Record<string, Media>> }
    >
  >
}

interface OpenApi {
  readonly info: { readonly title: string; readonly version: string; readonly description?: string }
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

interface Listed {
  readonly method: string
  readonly path: string
  readonly operation: Operation
}

const METHODS = ['get', 'post', 'patch', 'delete']

/** The page. */
export function ReferencePage() {
  const [document, setDocument] = useState<OpenApi>()
  const [search, setSearch] = useState('')
  useEffect(() => {
    admin.openapi().then(
      found => setDocument(found as unknown as OpenApi),
      () => {},
    )
  }, [])
  const all = useMemo(
    () =>
      Object.entries(document?.paths ?? {}).flatMap(([path, item]) =>
        METHODS.filter(method => item[method] !== undefined).map(
          (method): Listed => ({ method: method.toUpperCase(), path, operation: item[method]! }),
        ),
      ),
    [document],
  )
  const shown = all.filter(({ method, path, operation: { summary } }) => matches(search, `${method} ${path}`, summary))
  const isService = ({ path }: Listed) => path !== '/' && !path.startsWith('/_mock')
  return (
    <div class="reference">
      <Panel
        title="API"
        side={
          <>
            <Search label="Search operations" value={search} onInput={setSearch} />
            <a class="push" href="./openapi.json">
              openapi.json
            </a>
          </>
        }
      >
        <h3>The service</h3>
        <Operations list={shown.filter(isService)} document={document} />
        <h3>The admin</h3>
        <Operations list={shown.filter(one => !isService(one))} document={document} />
      </Panel>
    </div>
  )
}

function Operations({ list, document }: { list: readonly Listed[]; document: OpenApi | undefined }) {
  if (document === undefined) return <p class="muted">…</p>
  if (list.length === 0) return <p class="muted">None matches.</p>
  return (
    <>
      {list.map(listed => (
        <OperationEntry key={`${listed.method} ${listed.path}`} listed={listed} document={document} />
      ))}
    </>
  )
}

function OperationEntry({ listed, document }: { listed: Listed; document: OpenApi }) {
  const [isOpen, setIsOpen] = useState(false)
  const { method, path, operation } = listed
  return (
    <details class="operation" onToggle={event => setIsOpen(event.currentTarget.open)}>
      <summary>
        <span class="method" data-method={method}>
          {method}
        </span>
        <code>{path}</code>
        <span class="muted">
          <Text>{operation.summary}</Text>
        </span>
      </summary>
      {isOpen && <OperationDetail listed={listed} document={document} />}
    </details>
  )
}

function OperationDetail({ listed, document }: { listed: Listed; document: OpenApi }) {
  const { operation } = listed
  const parameters = (operation.parameters ?? []).map(parameter => resolve(parameter, document))
  const body = mediaOf(operation.requestBody?.content)
  return (
    <div class="operation-detail">
      {operation.description !== undefined && (
        <p>
          <Text>{operation.description}</Text>
        </p>
      )}
      {parameters.length > 0 && (
        <FieldTable
          title="Parameters"
          rows={parameters.map(({ name, in: place, required, description, schema }) => ({
            name,
            type: `${place}, ${typeOf(schema, document)}`,
            isOptional: required !== true,
            text: description ?? schema?.description ?? '',
          }))}
        />
      )}
      {body?.schema !== undefined && <FieldTable title="Body" rows={rowsOf(body.schema, document)} />}
      {Object.entries(operation.responses)
        .filter(([status]) => status.startsWith('2'))
        .map(([status, found]) => {
          const response = resolve(found, document)
          const schema = mediaOf(response.content)?.schema
          const rows = schema === undefined ? [] : rowsOf(schema, document)
          return rows.length === 0 ? (
            <p key={status} class="muted">
              Reply {status}: {response.description}
            </p>
          ) : (
            <FieldTable key={status} title={`Reply ${status}`} rows={rows} />
          )
        })}
      <p class="muted">
        Errors:{' '}
        {Object.keys(operation.responses)
          .filter(status => !status.startsWith('2'))
          .join(', ') || 'none'}
      </p>
      <TryIt
        listed={listed}
        parameters={parameters}
        example={body?.example ?? body?.schema?.example}
        takesBody={body !== undefined}
      />
    </div>
  )
}

interface FieldRow {
  readonly name: string
  readonly type: string
  readonly isOptional: boolean
  readonly text: string
}

function FieldTable({ title, rows }: { title: string; rows: readonly FieldRow[] }) {
  return (
    <div class="scroll-x" tabIndex={0} role="region" aria-label={title}>
      <table class="plain fields">
        <caption>{title}</caption>
        <tbody>
          {rows.map(({ name, type, isOptional, text }) => (
            <tr key={name}>
              <td>
                <code>{name}</code>
              </td>
              <td class="muted">
                {type}
                {isOptional ? ', optional' : ''}
              </td>
              <td>
                <Text>{text}</Text>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function TryIt({
  listed: { method, path, operation },
  parameters,
  example,
  takesBody,
}: {
  listed: Listed
  parameters: readonly Parameter[]
  example: unknown
  takesBody: boolean
}) {
  const current = useStore(session)
  const fields = parameters.filter(parameter => parameter.in === 'path' || parameter.in === 'query')
  const [values, setValues] = useState<Record<string, string>>(() =>
    Object.fromEntries(fields.map(field => [field.name, guess(field, path, current?.id ?? 'default')])),
  )
  const [body, setBody] = useState(example === undefined ? '' : JSON.stringify(example, undefined, 2))
  const [answer, setAnswer] = useState<{ status: number; ms: number; headers: string; body: string }>()
  const [error, setError] = useState('')
  const isService = path !== '/' && !path.startsWith('/_mock')
  const target = toTarget(path, fields, values)
  const url = isService ? serviceUrl(current, path) + target : ROOT + target
  // A stream never ends, so there is nothing to show.
  if (operation.operationId === 'events') return <p class="muted">A stream: see the tab Journal.</p>

  const send = async (): Promise<void> => {
    const started = performance.now()
    setError('')
    try {
      const response = await fetch(url, {
        method,
        credentials: 'omit',
        cache: 'no-store',
        headers: {
          ...(isService ? { authorization: current?.apiKey ?? '' } : adminHeaders()),
          ...(takesBody && body !== '' ? { 'content-type': 'application/json' } : {}),
        },
        ...(takesBody && body !== '' ? { body } : {}),
      })
      const text = await response.text()
      const headers = [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n')
      setAnswer({
        status: response.status,
        ms: performance.now() - started,
        headers,
        body: text.length > 50_000 ? `${text.slice(0, 50_000)}…` : text,
      })
    } catch {
      setAnswer(undefined)
      setError('No reply: the connection was reset, or the browser has blocked it.')
    }
    refreshAll()
  }
  return (
    <form
      class="try-it"
      onSubmit={event => {
        event.preventDefault()
        void send()
      }}
    >
      {fields.map(({ name, required }) => (
        <label class="field" key={name}>
          <span>{name}</span>
          <input
            required={required}
            spellcheck={false}
            value={values[name] ?? ''}
            onInput={event => setValues({ ...values, [name]: event.currentTarget.value })}
          />
        </label>
      ))}
      {takesBody && (
        <label class="field wide">
          <span>Body</span>
          <textarea rows={5} spellcheck={false} value={body} onInput={event => setBody(event.currentTarget.value)} />
        </label>
      )}
      <div class="wide form-end">
        <button type="submit" class="button primary">
          Send
        </button>
        <code class="try-url">
          {method} {url}
        </code>
        <Copy text={url} of="URL" />
      </div>
      {error !== '' && (
        <p class="wide" role="status">
          {error}
        </p>
      )}
      {answer !== undefined && (
        <div class="wide answer" role="status">
          <p>
            <Badge tone={statusTone(answer.status)}>{answer.status}</Badge>{' '}
            <span class="muted">{formatDuration(answer.ms)}</span>
          </p>
          <Snippet short label="Headers" text={answer.headers} />
          {answer.body !== '' && <Snippet label="Body" text={answer.body} />}
        </div>
      )}
    </form>
  )
}

/** The address of an endpoint for this page: its own origin, unless the charting endpoint has another port. */
function serviceUrl(current: { id: string; baseUrl: string; historyUrl: string } | undefined, path: string): string {
  const prefix = current === undefined || current.id === 'default' ? '' : `/session/${current.id}`
  if (current === undefined || current.baseUrl === current.historyUrl) return ROOT + prefix
  return path.startsWith('/charting') ? current.historyUrl : current.baseUrl
}

function toTarget(path: string, fields: readonly Parameter[], values: Readonly<Record<string, string>>): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ''))
  const query = fields
    .filter(field => field.in === 'query' && (values[field.name] ?? '') !== '')
    .map(({ name }) => `${name}=${encodeURIComponent(values[name]!).replaceAll('%2C', ',').replaceAll('%2F', '/')}`)
  return query.length === 0 ? filled : `${filled}?${query.join('&')}`
}

/** A value that works: the example of the document, or one that the page knows. */
function guess({ name, schema, example, required }: Parameter, path: string, id: string): string {
  const known: Readonly<Record<string, string>> = {
    feedId: 'BTCUSD',
    feedIds: 'BTCUSD,ETHUSD',
    feedids: 'btcusd',
    feed: 'btcusd',
    type: '1',
    interval: '1h',
    minutes: '60',
    url: '/prices/BTCUSD/latest',
    id,
  }
  if (required !== true && !path.startsWith('/prices') && !path.startsWith('/charting')) return ''
  return known[name] ?? String(example ?? schema?.example ?? '')
}

const mediaOf = (content: Readonly<Record<string, Media>> | undefined): Media | undefined =>
  Object.values(content ?? {})[0]

function resolve<T extends { readonly $ref?: string }>(value: T, { components }: OpenApi): T {
  const [, kind = '', name = ''] = /^#\/components\/(\w+)\/(.+)$/.exec(value.$ref ?? '') ?? []
  return (components?.[kind]?.[name] as T | undefined) ?? value
}

const MAX_DEPTH = 3

/** The fields of a schema, nested ones with their path. */
function rowsOf(given: Schema, document: OpenApi, prefix = '', depth = 0): FieldRow[] {
  const schema = resolve(given, document)
  const item = schema.items === undefined ? schema : resolve(schema.items, document)
  const at = schema.items === undefined ? prefix : `${prefix}[]`
  if (depth > MAX_DEPTH) return []
  return Object.entries(item.properties ?? {}).flatMap(([name, child]) => {
    const path = at === '' ? name : `${at}.${name}`
    const resolved = resolve(child, document)
    return [
      {
        name: path,
        type: typeOf(child, document),
        isOptional: !(item.required?.includes(name) ?? false),
        text: child.description ?? resolved.description ?? '',
      },
      ...rowsOf(child, document, path, depth + 1),
    ]
  })
}

function typeOf(given: Schema | undefined, document: OpenApi): string {
  if (given === undefined) return 'any'
  const name = given.$ref?.split('/').at(-1)
  const { type, items, enum: values, const: value, anyOf, additionalProperties, format } = resolve(given, document)
  if (values !== undefined) return values.map(one => JSON.stringify(one)).join(' or ')
  if (value !== undefined) return JSON.stringify(value)
  if (anyOf !== undefined) return [...new Set(anyOf.map(one => typeOf(one, document)))].join(' or ')
  if (items !== undefined) return `list of ${typeOf(items, document)}`
  if (name !== undefined) return name
  if (typeof additionalProperties === 'object') return `map of ${typeOf(additionalProperties, document)}`
  return format ?? (Array.isArray(type) ? type.join(' or ') : String(type ?? 'any'))
}
