/// <reference lib="es2024.string" />
const REPLACEMENT = '\ufffd'

/** `text` columns take neither NUL nor half a surrogate pair. */
export function sanitiseText(text: string): string {
  return text.toWellFormed().replaceAll('\0', REPLACEMENT)
}

const escapes = /\\(?:\\|u0000|ud[89a-f][0-9a-f]{2})/g

/**
 * JSON text that jsonb accepts. `JSON.stringify` writes NUL and lone surrogates (and nothing else of the surrogate
 * range) as escapes, so they are found in the text; an escaped backslash is matched first, so that a user's literal
 * `\u0000` of six characters is left as it is.
 */
export function toJsonbText(value: unknown): string {
  const text = JSON.stringify(value)
  if (!text.includes('\\u')) return text
  return text.replace(escapes, (found) => (found === '\\\\' ? found : REPLACEMENT))
}
