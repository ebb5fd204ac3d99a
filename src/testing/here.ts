// The address of this package, in a file of its own: code that is compiled to CommonJS cannot load it.

/** The URL of this file. */
export const HERE = import.meta.url
