// The generator alone: the entry point of the package would load six others into browsers.
declare module 'seedrandom/seedrandom.js' {
  const seedrandom: typeof import('seedrandom')
  // biome-ignore lint/style/noDefaultExport: that is how the package exports it.
  export default seedrandom
}
