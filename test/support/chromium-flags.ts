// The flags with which tests start Chromium.

/** `--no-sandbox` because containers run as root; the rest turns off background work of Chromium. */
export const CHROMIUM_FLAGS: readonly string[] = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]
