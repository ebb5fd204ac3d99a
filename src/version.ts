// The version of the package, as replies and the banner show it. A test holds it against package.json.
export const VERSION = '0.1.0'
