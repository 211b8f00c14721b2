/** Colours of terminal output, as classes; every other control sequence is dropped. Pure. */

export interface AnsiPiece {
  text: string
  className: string
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const sequence = /\u001b\[([0-9;]*)([A-Za-z])|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)|\u001b[@-Z\\-_]/g
const colours = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white']

interface Style {
  colour: string | undefined
  bold: boolean
  dim: boolean
}

const plain: Style = { colour: undefined, bold: false, dim: false }

export function parseAnsi(text: string): AnsiPiece[] {
  if (!text.includes('\u001b')) return [{ text, className: '' }]
  const pieces: AnsiPiece[] = []
  let style = plain
  let at = 0
  const push = (until: number) => {
    if (until > at) pieces.push({ text: text.slice(at, until), className: classOf(style) })
  }
  for (const match of text.matchAll(sequence)) {
    push(match.index)
    at = match.index + match[0].length
    if (match[2] === 'm') style = applyCodes(style, match[1] ?? '')
  }
  push(text.length)
  return pieces
}

function applyCodes(style: Style, text: string): Style {
  const codes = text === '' ? [0] : text.split(';').map(Number)
  let next = style
  for (let index = 0; index < codes.length; index += 1) {
    const code = codes[index] ?? 0
    // 38;5;n and 38;2;r;g;b name colours that the theme does not have: their arguments are skipped.
    if (code === 38 || code === 48) index += codes[index + 1] === 5 ? 2 : 4
    else next = applyCode(next, code)
  }
  return next
}

function applyCode(style: Style, code: number): Style {
  if (code === 0) return plain
  if (code === 1) return { ...style, bold: true }
  if (code === 2) return { ...style, dim: true }
  if (code === 22) return { ...style, bold: false, dim: false }
  if (code === 39) return { ...style, colour: undefined }
  if (code >= 30 && code <= 37) return { ...style, colour: colours[code - 30] }
  if (code >= 90 && code <= 97) return { ...style, colour: colours[code - 90] }
  return style
}

const classOf = ({ colour, bold, dim }: Style): string =>
  [colour && `ansi-${colour}`, bold && 'ansi-bold', dim && 'ansi-dim'].filter(Boolean).join(' ')
