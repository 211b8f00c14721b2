import { decodeText, undecoded, withoutDialect } from './decode-text.js'
import { unitsOf } from './text-automaton.js'

/** What is shorter is not looked for in base64 or hexadecimal: those few digits are ordinary text. */
export const minBinaryLength = 8
/** What is shorter is found only as it is: most of its encoded forms are ordinary text. */
const minEncodedLength = 4

/** The texts under which a secret may appear as such. */
export function exactForms(secret: string): string[] {
  if (Buffer.byteLength(secret) < minBinaryLength) return [secret]
  const bytes = Buffer.from(secret)
  const hex = bytes.toString('hex')
  return [secret, hex, hex.toUpperCase(), ...[0, 1, 2].flatMap((before) => base64Forms(bytes, before))]
}

/** What is left of a secret once its text has been decoded and dialects have been read alike. */
export function canonicalForms(secret: string): string[] {
  const units = unitsOf(secret.replaceAll('\r', ''))
  // The second for an encoder that leaves alone what looks encoded in the secret itself.
  return [units, decodeText(undecoded(units)).units]
    .map((form) => textOf(form.map(withoutDialect)))
    .filter((form) => form.length >= minEncodedLength)
}

const textOf = (units: Uint16Array): string =>
  Buffer.from(units.buffer, units.byteOffset, units.byteLength).toString('utf16le')

/**
 * Base64 puts three bytes into four digits, so a secret that `before` bytes precede has other digits for each remainder.
 * Digits that also hold bits of a neighbour are left out, except at the end of the data, where the neighbour is none.
 */
function base64Forms(secret: Buffer, before: number): string[] {
  const digits = Buffer.concat([Buffer.alloc(before), secret])
    .toString('base64')
    .replace(/={1,2}$/, '')
  const first = Math.ceil((before * 8) / 6)
  const whole = Math.floor(((before + secret.length) * 8) / 6)
  const forms = [digits.slice(first, whole), digits.slice(first)]
  return forms.flatMap((form) => [form, form.replaceAll('+', '-').replaceAll('/', '_')])
}
