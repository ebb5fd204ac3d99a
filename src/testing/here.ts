// The address of this package, in a file of its own: code that is compiled to CommonJS cannot load it.

/** The URL of this file. */
export const HERE = import.meta.url

/** Whether Jest has loaded this file as an ES module. */
export const IS_JEST: boolean = (import.meta as { readonly jest?: unknown }).jest !== undefined
