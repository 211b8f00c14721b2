/** What the sealed cookie has room for. */
const maxChars = 1_500

/**
 * Where a login leads back to: a path of the console, whatever was asked for. Parsed as a browser would: it takes a
 * backslash for a slash and drops tabs and line breaks, so `/\evil` is another host.
 */
export function returnTarget(to: string | undefined, publicUrl: string): string {
  const { origin } = new URL(publicUrl)
  if (to === undefined || !to.startsWith('/') || !URL.canParse(to, origin)) return '/'
  const url = new URL(to, origin)
  const target = url.pathname + url.search + url.hash
  const leadsAway = url.origin !== origin || target.startsWith('//')
  // A request of the API, above all the beginning of another login, is no page.
  const isPage = !/^\/api(\/|$)/.test(url.pathname)
  return leadsAway || !isPage || target.length > maxChars ? '/' : target
}
