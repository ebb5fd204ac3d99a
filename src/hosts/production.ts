// Whether this code runs in a production build. It imports nothing, so that any bundler can evaluate it.

/** In a page only bundlers know it. */
declare const process: { readonly env: { readonly NODE_ENV?: string } }

/** Whether a bundler built this code for production. Bundlers replace the text of both expressions. */
export function isProductionBuild(): boolean {
  try {
    if (process.env.NODE_ENV === 'production') return true
  } catch {
    // A page without a bundler has no `process`.
  }
  return (import.meta as { readonly env?: { readonly PROD?: boolean } }).env?.PROD === true
}
