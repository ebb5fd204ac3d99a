// Loads the modules of later requests in advance, while there are free file handles and complete packages.

/** Loads them. A failure is not an error here: the request that needs the module tries again, and reports it. */
export async function preloadModules(): Promise<void> {
  await Promise.allSettled([
    import('./app.js'),
    import('./bodies.js'),
    import('./console.js'),
    import('../../admin/administer.js'),
  ])
}
