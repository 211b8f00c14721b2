import { type AnsiColour, basicColour, extendedColour } from './ansi-colours'

/** Colours of terminal output; every other control sequence is dropped. Pure. */

export interface AnsiPiece {
  text: string
  className: string
  /** Of a colour that the theme has no name for. */
  style?: { color?: string; backgroundColor?: string }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const sequence = /\u001b\[([0-9;:]*)([A-Za-z])|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)|\u001b[@-Z\\-_]/g

interface Style {
  colour?: AnsiColour | undefined
  background?: AnsiColour | undefined
  bold?: boolean
  dim?: boolean
  underline?: boolean
  inverse?: boolean
}

const plain: Style = {}

/** What is left of a text on paper. */
export const plainText = (text: string): string => (text.includes('\u001b') ? text.replaceAll(sequence, '') : text)

export function parseAnsi(text: string): AnsiPiece[] {
  if (!text.includes('\u001b')) return [{ text, className: '' }]
  const pieces: AnsiPiece[] = []
  let style = plain
  let at = 0
  const push = (until: number) => {
    if (until > at) pieces.push(pieceOf(text.slice(at, until), style))
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
  const codes = text === '' ? [0] : text.split(/[;:]/).map(Number)
  let next = style
  for (let index = 0; index < codes.length; index += 1) {
    const code = codes[index] ?? 0
    if (code === 38 || code === 48) {
      const { colour, taken } = extendedColour(codes.slice(index + 1))
      if (colour) next = { ...next, [code === 38 ? 'colour' : 'background']: colour }
      index += taken
    } else next = applyCode(next, code)
  }
  return next
}

const switches: Readonly<Record<number, Style>> = {
  1: { bold: true },
  2: { dim: true },
  4: { underline: true },
  7: { inverse: true },
  22: { bold: false, dim: false },
  24: { underline: false },
  27: { inverse: false },
  39: { colour: undefined },
  49: { background: undefined },
}

function applyCode(style: Style, code: number): Style {
  if (code === 0) return plain
  const [colour, background] = [basicColour(code), basicColour(code - 10)]
  if (colour) return { ...style, colour }
  if (background) return { ...style, background }
  return { ...style, ...switches[code] }
}

/** Mixed with the theme's own: what was chosen for a black terminal is read on white too. */
const mixed = (colour: AnsiColour | undefined, share: number, base: string): string | undefined =>
  colour && 'rgb' in colour ? `color-mix(in srgb, rgb(${colour.rgb.join(' ')}) ${share}%, ${base})` : undefined

const nameOf = (colour: AnsiColour | undefined): string | undefined =>
  colour && 'name' in colour ? colour.name : undefined

function pieceOf(text: string, { colour, background, bold, dim, underline, inverse }: Style): AnsiPiece {
  const [ink, paper] = [nameOf(colour), nameOf(background)]
  const className = [
    ink && `ansi-${ink}`,
    paper && `ansi-on-${paper}`,
    bold && 'ansi-bold',
    dim && 'ansi-dim',
    underline && 'ansi-underline',
    inverse && 'ansi-inverse',
  ]
    .filter(Boolean)
    .join(' ')
  const [color, backgroundColor] = [mixed(colour, 60, 'var(--text)'), mixed(background, 35, 'var(--bg-sunken)')]
  if (!color && !backgroundColor) return { text, className }
  return { text, className, style: { ...(color ? { color } : {}), ...(backgroundColor ? { backgroundColor } : {}) } }
}
