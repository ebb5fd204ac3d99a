// The version of the package, as replies and the banner show it. A test holds it against package.json.
/** Semantic version, https://semver.org */
export const VERSION = '0.1.0'
