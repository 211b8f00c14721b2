export const hexOf = (text: string) => Buffer.from(text).toString('hex')
export const base64Of = (text: string) => Buffer.from(text).toString('base64').replace(/=+$/, '')
/** The digits that do not depend on what stands before and after it. */
export const base64Within = (text: string, before: number) => base64Of(`${'x'.repeat(before)}${text}`).slice(4, -4)
const eachCharacter = (text: string, encode: (code: number) => string) =>
  Array.from(text, (character) => encode(character.charCodeAt(0))).join('')
const hexDigits = (code: number, count = 2) => code.toString(16).padStart(count, '0')
/** Escapes of every character, also of those that need none: nothing of the text itself is left. */
export const escaped = (text: string) => ({
  percent: eachCharacter(text, (code) => `%${hexDigits(code)}`),
  unicode: eachCharacter(text, (code) => `\\u${hexDigits(code, 4)}`),
  bytes: eachCharacter(text, (code) => `\\x${hexDigits(code)}`),
  decimal: eachCharacter(text, (code) => `&#${code};`),
  hexadecimal: eachCharacter(text, (code) => `&#x${hexDigits(code)};`),
})

const html = (text: string) =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
const nestedTimes = (text: string, times: number): string =>
  times === 0 ? text : JSON.stringify({ a: nestedTimes(text, times - 1) })
/** What a peer or a program may make of a secret that it was given; the documentation names each. */
export const encodings = (text: string) => ({
  // Four times over with the answer that they stand in.
  nested: [1, 2, 3].map((times) => nestedTimes(text, times)),
  query: encodeURIComponent(JSON.stringify(text)),
  form: new URLSearchParams({ k: text }).toString(),
  html: [html(text), html(html(text))],
  ...escaped(text),
  twice: encodeURIComponent(encodeURIComponent(text)),
  hex: [hexOf(text), hexOf(text).toUpperCase(), hexOf(text).replace(/../g, '\\x$&')],
  base64: ['', 'k', 'ke', 'key'].flatMap((before) => [`${before}${text}`, `${before}${text}, and more`]).map(base64Of),
  base64url: ['', 'k', 'ke'].map((before) => Buffer.from(before + text).toString('base64url')),
})
