// The generator alone: the door of the package brings six others along, which a browser would have to load.
declare module 'seedrandom/seedrandom.js' {
  const seedrandom: typeof import('seedrandom')
  // biome-ignore lint/style/noDefaultExport: that is how the package exports it.
  export default seedrandom
}
