/** Control characters other than the tab, and halves of surrogate pairs, which no UTF-8 can carry. */
const unprintable = /(?!\t)[\p{Cc}\p{Cs}]/gu
const brokenPairs = /\p{Cs}/gu
// biome-ignore lint/suspicious/noControlCharactersInRegex: a colour of terminal output, which moves no cursor and runs nothing
const colourOrUnprintable = /\u001b\[[0-9;]{0,24}m|(?!\t)[\p{Cc}\p{Cs}]/gu
const substitute = '\ufffd'

/** One printable line, with its colours: the console draws them, and no other control sequence is kept. */
export const printable = (text: string): string =>
  text.replace(colourOrUnprintable, (found) => (found.length > 1 && found.endsWith('m') ? found : substitute))

/** Line breaks stay; what could not be stored or shown goes. */
export function printableLines(text: string): string {
  return text.replace(unprintable, (found) => (found === '\n' ? found : substitute))
}

export const wellFormed = (text: string): string => text.replace(brokenPairs, substitute)

export function truncated(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text
  return `${wellFormed(text.slice(0, maxLength - 1))}…`
}
