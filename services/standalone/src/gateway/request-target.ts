export interface RequestTarget {
  /** Normalised, still percent-encoded. */
  readonly path: string
  /** With its question mark, or empty. */
  readonly query: string
}

/**
 * A path must mean the same to the gateway, to IAM and to the service behind. Whatever could be read in two ways is
 * refused: encoded slashes and backslashes, empty segments, control characters, raw bytes outside ASCII, fragments,
 * broken escapes, and dot segments that climb above the root. Other dot segments are resolved.
 */
export function readTarget(url: string): RequestTarget | undefined {
  const mark = url.indexOf('?')
  const path = mark < 0 ? url : url.slice(0, mark)
  const query = mark < 0 ? '' : url.slice(mark)
  if (!path.startsWith('/') || !/^[\x21-\x7e]*$/.test(url) || /[\\#]|\/\//.test(path) || query.includes('#'))
    return undefined
  if (/%00/.test(query)) return undefined
  if (path.includes('%') && !hasSoundEscapes(path)) return undefined
  if (!/\/(\.|%2e)/i.test(path)) return { path, query }
  const resolved = resolveDots(path)
  return resolved === undefined ? undefined : { path: resolved, query }
}

function hasSoundEscapes(path: string): boolean {
  if (/%(?![0-9a-f]{2})|%2f|%5c|%[01][0-9a-f]|%7f/i.test(path)) return false
  try {
    decodeURIComponent(path)
    return true
  } catch {
    return false
  }
}

function resolveDots(path: string): string | undefined {
  const segments = path.split('/').slice(1)
  const kept: string[] = []
  for (const [index, segment] of segments.entries()) {
    const plain = segment.replaceAll(/%2e/gi, '.')
    const last = index === segments.length - 1
    if (plain === '..') {
      if (kept.length === 0) return undefined
      kept.pop()
      if (last) kept.push('')
    } else if (plain === '.') {
      if (last) kept.push('')
    } else kept.push(segment)
  }
  return `/${kept.join('/')}`
}
