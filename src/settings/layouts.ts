// Signature layouts as data: the signed bytes in order and encoding, and the form of the signature.
import * as z from 'zod/mini'
import { oncePerObject } from '../caches.js'
import { listOf, text } from './schema.js'

/** Maximum number of fields of a layout. */
export const MAX_FIELDS = 32
/** Maximum number of bytes of a price in a layout. */
export const MAX_LAYOUT_BYTES = 512
/** Maximum number of layouts of a session, the built-in ones among them. */
export const MAX_LAYOUTS = 20
/** Maximum number of characters of the name of a layout. */
export const MAX_LAYOUT_NAME = 64

/** The order of the group of secp256k1 (SEC 2, 2.4.1): private keys, r and s are below it. */
export const CURVE_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

/** The parts of a price that a layout can carry. */
export type LayoutField = 'feedId' | 'price' | 'expo' | 'ts'

/**
 * `field:encoding`. Encodings: `ascii<bytes>-left|right`, zero-padded on that side, and `u<bits>` or `i<bits>` with
 * `le` or `be`, two's complement; 8 bits have no byte order.
 */
const FIELD =
  /^(feedId:ascii([1-9]\d?)-(left|right)|(price|expo|ts):[ui](8|(16|24|32|40|48|56|64|96|128|160|192|256)(le|be)))$/

/** The number of bytes of a field. */
export function bytesOfField(field: string): number {
  const [, kind, digits] = /:(ascii|[ui])(\d+)/.exec(field)!
  return kind === 'ascii' ? Number(digits) : Number(digits) / 8
}

const bytesOf = (fields: readonly string[]): number => fields.reduce((sum, field) => sum + bytesOfField(field), 0)

/** The number of bytes of a price in a layout. */
export const bytesOfPrice = oncePerObject((layout: Layout) => bytesOf(layout.fields))

const WANT_FIELD = 'field:encoding, such as "feedId:ascii32-right", "price:u64le", "expo:i8" or "ts:u64le"'

/** How one kind of price is signed. */
export const layoutSchema = z.strictObject({
  fields: listOf(text(FIELD, WANT_FIELD), 'field', MAX_FIELDS).check(
    z.refine(fields => bytesOf(fields) <= MAX_LAYOUT_BYTES, {
      error: ({ input }) =>
        `fields of at most ${MAX_LAYOUT_BYTES} bytes together, these take ${bytesOf(input as string[])}`,
    }),
  ),
  digest: z.enum(['keccak256', 'sha256']),
  prefix: text(/^(none|eip191|(0x)?([0-9a-fA-F]{2}){1,64})$/, '"none", "eip191" or 1 to 64 bytes in hex'),
  signature: z.enum(['rs', 'rsv', 'rsy']),
  hexPrefix: z.enum(['', '0x']),
})
/** A parsed layout. */
export type Layout = z.output<typeof layoutSchema>

const WANT_NAME = `the name of a layout, at most ${MAX_LAYOUT_NAME} characters`
// Marked, so that a bundle which does not read layouts leaves the check out as well.
/** Layouts by name. */
export const layoutsSchema = z.record(
  /* @__PURE__ */ z.string().check(z.maxLength(MAX_LAYOUT_NAME, { error: WANT_NAME })),
  layoutSchema,
)

/** The built-in layouts. */
export const LAYOUTS = {
  /** Verified against three published responses of the service, see `fixtures/published-responses.json`. */
  svm: {
    fields: ['feedId:ascii32-right', 'price:u64le', 'expo:i8', 'ts:u64le'],
    digest: 'keccak256',
    prefix: 'none',
    signature: 'rs',
    hexPrefix: '',
  },
  /** Assumed: `abi.encodePacked(bytes32, uint192, uint32, int32)`, the widths of the vendor's verifier of another product. */
  evm: {
    fields: ['feedId:ascii32-left', 'price:u192be', 'ts:u32be', 'expo:i32be'],
    digest: 'keccak256',
    prefix: 'none',
    signature: 'rsv',
    hexPrefix: '',
  },
} as const satisfies Record<string, Layout>
