// The forms of an origin and of the admin's token, shared by the options of the program and of functions.

/** An origin as browsers send it: scheme, host and a port other than the default, without a path. `*` is no origin. */
export const ORIGIN = /^https?:\/\/(?![^/]*:(?:0\d*)?$)(?:[a-z\d](?:[\w.-]*[a-z\d])?|\[[\da-f:.]+\])(?::\d{1,5})?$/i
/** A description of `ORIGIN`. */
export const WANT_ORIGIN = 'an origin without a path, such as http://localhost:5173; there is no wildcard'

/** A token that a header can hold. */
export const ADMIN_TOKEN = /^[\x21-\x7e]{8,512}$/
/** A description of `ADMIN_TOKEN`. */
export const WANT_TOKEN = 'a token of 8 to 512 visible ASCII characters'

/** A base address: without credentials and query. */
export const BASE_URL = /^https?:\/\/[^\s/?#@]+(?:\/[^\s?#]*)?$/i
/** A description of `BASE_URL`. */
export const WANT_BASE_URL = 'an address such as https://mock.example, without credentials and query'
