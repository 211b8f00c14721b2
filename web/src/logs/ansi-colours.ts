/** Colours that a terminal names by number. Pure. */

/** One of the sixteen that the theme has, or one as it is. */
export type AnsiColour = { name: string } | { rgb: readonly [number, number, number] }

const names = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white']
const named = (at: number): AnsiColour => ({ name: names[at % 8] ?? 'white' })

/** Of the cube of 6 × 6 × 6 colours, as xterm has them. */
const cube = [0, 95, 135, 175, 215, 255]

function indexed(index: number): AnsiColour | undefined {
  if (!(index >= 0 && index <= 255)) return undefined
  if (index < 16) return named(index)
  if (index > 231) {
    const grey = 8 + (index - 232) * 10
    return { rgb: [grey, grey, grey] }
  }
  const at = index - 16
  return { rgb: [cube[Math.floor(at / 36)] ?? 0, cube[Math.floor(at / 6) % 6] ?? 0, cube[at % 6] ?? 0] }
}

/** 30–37, 90–97; of a background ten more. */
export function basicColour(code: number): AnsiColour | undefined {
  return (code >= 30 && code <= 37) || (code >= 90 && code <= 97) ? named(code % 10) : undefined
}

/** What follows 38 or 48: `5;n`, or `2;r;g;b`. `taken` are the codes that it is made of. */
export function extendedColour(codes: readonly number[]): { colour: AnsiColour | undefined; taken: number } {
  const [kind, r = 0, g = 0, b = 0] = codes
  if (kind === 5) return { colour: indexed(r), taken: 2 }
  if (kind === 2 && [r, g, b].every((each) => each >= 0 && each <= 255)) return { colour: { rgb: [r, g, b] }, taken: 4 }
  return { colour: undefined, taken: kind === 2 ? 4 : 1 }
}
