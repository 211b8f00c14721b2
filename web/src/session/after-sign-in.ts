/** Nothing that a target may name: whoever leads there leads away. */
const own = 'http://console.invalid'

/**
 * Only a path of our own: an address from outside must not become a place to be sent to after signing in. Parsed as the
 * browser would, which takes a backslash for a slash and drops tabs.
 */
export function safeTarget(to: string | undefined): string {
  if (to === undefined || !to.startsWith('/') || !URL.canParse(to, own)) return '/'
  const { origin, pathname, search, hash } = new URL(to, own)
  const target = pathname + search + hash
  return origin !== own || target.startsWith('//') || target.startsWith('/sign-in') ? '/' : target
}
