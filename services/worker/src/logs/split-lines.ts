import { printable, wellFormed } from '../execution/text.js'

export const maxLineBytes = 16 * 1024
const maxMessageLength = 1024 * 1024
const lineBreak = /\r\n|\n|\r/

/** One printable line each, none over 16 KiB in UTF-8; a trailing line break begins no empty line. */
export function splitLines(message: string): string[] {
  if (message.length * 3 <= maxLineBytes && !/[\r\n]/.test(message)) return [printable(message)]
  const cut = message.length > maxMessageLength
  const text = cut ? message.slice(0, maxMessageLength) : message
  const parts = text.split(lineBreak)
  if (parts.length > 1 && parts.at(-1) === '') parts.pop()
  const lines = parts.flatMap(splitLong)
  if (cut) lines.push(`… ${message.length - maxMessageLength} more characters were cut off`)
  return lines
}

function splitLong(line: string): string[] {
  const clean = printable(line)
  if (clean.length * 3 <= maxLineBytes) return [clean]
  const bytes = Buffer.from(wellFormed(clean))
  const pieces: string[] = []
  for (let at = 0; at < bytes.length; ) {
    const end = boundaryBefore(bytes, Math.min(at + maxLineBytes, bytes.length))
    pieces.push(bytes.toString('utf8', at, end))
    at = end
  }
  return pieces
}

/** Steps back from the middle of a character to its first byte. */
function boundaryBefore(bytes: Buffer, end: number): number {
  let at = end
  while (at < bytes.length && ((bytes[at] ?? 0) & 0xc0) === 0x80) at--
  return at
}
