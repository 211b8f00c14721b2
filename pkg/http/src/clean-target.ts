import { malformed } from '@millrace/errors'

/** NUL cannot be stored and control characters have no place in a path; broken percent encoding means nothing. */
export function assertCleanTarget(url: string): void {
  let decoded: string
  try {
    decoded = url.includes('%') ? decodeURIComponent(url.replaceAll('+', ' ')) : url
  } catch (error) {
    const mark = url.indexOf('?')
    // A query decodes leniently, as browsers and URLSearchParams do; a path must be exact.
    if (mark >= 0 && isDecodable(url.slice(0, mark))) decoded = url.replaceAll(/%00/g, '\0')
    else throw malformed('malformed_path', 'The path is not valid.', error)
  }
  if (decoded.includes('\0')) throw malformed('malformed_path', 'The address must not contain a NUL character.')
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}
