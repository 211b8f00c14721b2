/** Names that some system takes for a device, whatever their extension. */
const reserved = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(\.|$)/i

const maxBytes = 255

/** Control characters, and the marks that make a name read in another order than it is. */
const unprintable = /[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/u

/** What keeps a name from being a plain file name on any system; undefined for one that is. */
export function faultOfFileName(name: string): string | undefined {
  if (name === '') return 'must not be empty'
  if (/\p{Cs}/u.test(name)) return 'must be valid Unicode'
  if (/[/\\]/.test(name)) return 'must not contain a separator'
  if (unprintable.test(name)) return 'must not contain control characters'
  if (Buffer.byteLength(name) > maxBytes) return `must be at most ${maxBytes} bytes in UTF-8`
  if (name === '.' || name === '..' || reserved.test(name)) return 'is a reserved name'
  if (/^\s|[\s.]$/.test(name)) return 'must not begin with a space or end with a space or dot'
  return undefined
}
