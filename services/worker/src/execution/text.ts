/** Control characters other than the tab, and halves of surrogate pairs, which no UTF-8 can carry. */
const unprintable = /(?!\t)[\p{Cc}\p{Cs}]/gu
const brokenPairs = /\p{Cs}/gu
const substitute = '\ufffd'

/** One printable line. */
export const printable = (text: string): string => text.replace(unprintable, substitute)

/** Line breaks stay; what could not be stored or shown goes. */
export function printableLines(text: string): string {
  return text.replace(unprintable, (found) => (found === '\n' ? found : substitute))
}

export const wellFormed = (text: string): string => text.replace(brokenPairs, substitute)

export function truncated(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text
  return `${wellFormed(text.slice(0, maxLength - 1))}…`
}
