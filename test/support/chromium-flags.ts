// How a Chromium is started by tests.

/** `--no-sandbox` because containers run as root; the rest keeps Chromium from doing anything but what it is told. */
export const CHROMIUM_FLAGS: readonly string[] = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]
