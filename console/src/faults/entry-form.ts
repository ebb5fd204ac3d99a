// The fault that the fields of a form describe, and what is wrong with them.
import { type FaultEntry, toSeconds } from './entry.js'
import type { FaultForm, Schema } from './schema.js'

/** A valid text of fields that take a form of their own. */
export const EXAMPLES: Readonly<Record<string, string>> = {
  from: '10s',
  for: '5m',
  repeat: '10m',
  requests: '1-3',
  age: '5m',
}

/** The texts of the fields: of selectors by name, of options by `options.NAME`. */
export type Values = Readonly<Record<string, string>>

/** The texts of the options that have a default. */
export function defaultsOf({ properties = {} }: Schema): Values {
  return Object.fromEntries(
    Object.entries(properties)
      .filter(([, schema]) => schema.default !== undefined)
      .map(([name, schema]) => [
        `options.${name}`,
        Array.isArray(schema.default) ? schema.default.join() : String(schema.default),
      ]),
  )
}

/** The texts of the fields for a fault. */
export function valuesOf({ fault: _, options = {}, ...selectors }: FaultEntry): Values {
  const toText = (value: unknown): string =>
    typeof value === 'string'
      ? value
      : Array.isArray(value) && value.every(item => typeof item === 'string')
        ? value.join(',')
        : JSON.stringify(value)
  return Object.fromEntries([
    ...Object.entries(selectors).map(([name, value]) => [name, toText(value)]),
    ...Object.entries(options).map(([name, value]) => [`options.${name}`, toText(value)]),
  ])
}

/**
 * The fault of the fields, and the first problem of them; empty if the service accepts the fault. Values that are the defaults are
 * left out.
 */
export function toEntry(
  form: FaultForm,
  selectorSchemas: Readonly<Record<string, Schema>>,
  values: Values,
  isFeed: (id: string) => boolean,
): { entry: FaultEntry; problem: string } {
  const problems: string[] = []
  const read = (name: string, schema: Schema, text: string): unknown => {
    try {
      const value = readValue(schema, text)
      const like = EXAMPLES[name] === undefined ? '' : `: write it like ${EXAMPLES[name]}`
      if (!isValid(schema, value)) throw new Error(`${text} has the wrong form${like}.`)
      const unknown = name === 'feeds' ? (value as string[]).find(id => !isFeed(id)) : undefined
      if (unknown !== undefined) throw new Error(`there is no feed ${unknown}.`)
      return value
    } catch (error) {
      problems.push(`${name}: ${(error as Error).message}`)
      return undefined
    }
  }
  const selectors = form.selectors.flatMap(name => {
    const text = values[name]?.trim() ?? ''
    if (text === '') return []
    return [[name, read(name, selectorSchemas[name]!, text)]]
  })
  const options = Object.entries(form.options.properties ?? {}).flatMap(([name, schema]) => {
    const text = values[`options.${name}`]?.trim() ?? ''
    if (text === '') {
      if (form.options.required?.includes(name)) problems.push(`${name} is needed.`)
      return []
    }
    const value = read(name, schema, text)
    return JSON.stringify(value) === JSON.stringify(schema.default) ? [] : [[name, value]]
  })
  const { repeat, for: length } = values
  if (repeat && !length) problems.push('repeat needs for, the duration of each window.')
  if (repeat && length && toSeconds(length) > toSeconds(repeat)) problems.push(`for must be at most ${repeat}, repeat.`)
  const entry = {
    fault: form.fault,
    ...Object.fromEntries(selectors),
    ...(options.length === 0 ? {} : { options: Object.fromEntries(options) }),
  }
  return { entry, problem: problems[0] ?? '' }
}

function readValue(schema: Schema, text: string): unknown {
  if (schema.items?.type === 'object') return JSON.parse(text)
  if (schema.type === 'array') return text.split(/[\s,]+/).filter(Boolean)
  if (schema.type === 'number' || schema.type === 'integer') return readNumber(schema, text)
  if (schema.type === 'boolean') return text === 'true'
  if (schema.anyOf?.some(({ type }) => type === 'number' || type === 'integer' || type === 'object')) {
    // A value of several types, such as a number or a text.
    const isNumeric = /^-?\d+(\.\d+)?$/.test(text)
    return isNumeric || /^[{"]|^(true|false|null)$/.test(text) ? readJson(text, schema) : text
  }
  return text
}

/** Whether a value fits its schema. */
function isValid(schema: Schema, value: unknown): boolean {
  if (schema.anyOf !== undefined) return schema.anyOf.some(branch => isValid(branch, value))
  if (schema.enum !== undefined && !schema.enum.includes(value as string)) return false
  switch (schema.type) {
    case 'string':
      return (
        typeof value === 'string' &&
        (schema.pattern === undefined || new RegExp(schema.pattern, 'u').test(value)) &&
        value.length <= (schema.maxLength ?? Number.POSITIVE_INFINITY)
      )
    case 'integer':
    case 'number':
      return (
        typeof value === 'number' &&
        (schema.type === 'number' || Number.isInteger(value)) &&
        value >= (schema.minimum ?? value) &&
        value <= (schema.maximum ?? value) &&
        value > (schema.exclusiveMinimum ?? Number.NEGATIVE_INFINITY) &&
        value < (schema.exclusiveMaximum ?? Number.POSITIVE_INFINITY)
      )
    case 'array':
      return (
        Array.isArray(value) &&
        value.length > 0 &&
        value.length <= (schema.maxItems ?? value.length) &&
        value.every(item => isValid(schema.items ?? {}, item))
      )
    case 'object': {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
      const { properties = {}, required = [] } = schema
      return (
        required.every(key => key in value) &&
        Object.entries(value).every(([key, part]) => properties[key] !== undefined && isValid(properties[key], part))
      )
    }
    case 'boolean':
      return typeof value === 'boolean'
    case 'null':
      return value === null
    default:
      return true
  }
}

/** Plain digits are text where the schema has texts and no numbers: the third request, `"3"`. */
function readJson(text: string, { anyOf = [] }: Schema): unknown {
  const takesNumbers = anyOf.some(({ type }) => type === 'number' || type === 'integer')
  return takesNumbers || !/^\d/.test(text) ? JSON.parse(text) : text
}

function readNumber({ type, minimum, maximum }: Schema, text: string): number {
  const value = Number(text)
  if (!Number.isFinite(value)) throw new Error(`${text} is no number.`)
  if (type === 'integer' && !Number.isInteger(value)) throw new Error('a whole number is needed.')
  if (minimum !== undefined && value < minimum) throw new Error(`at least ${minimum}.`)
  if (maximum !== undefined && value > maximum) throw new Error(`at most ${maximum}.`)
  return value
}
