import { type AnsiPiece, plainText } from './ansi'
import type { LogLine } from './log-buffer'

/** What is looked for in a log. Pure. */

export interface MarkedPiece extends AnsiPiece {
  marked: boolean
}

export const lineHas = ({ message }: LogLine, needle: string): boolean =>
  plainText(message).toLowerCase().includes(needle.toLowerCase())

/** Where in `lines` those are that have it. */
export function matchesIn(lines: readonly LogLine[], needle: string): readonly number[] {
  return needle === '' ? [] : lines.flatMap((line, at) => (lineHas(line, needle) ? [at] : []))
}

/** The match to go to: from the one that is shown, around the ends; the first towards the end where none is. */
export function nextMatch(count: number, current: number | undefined, step: 1 | -1): number | undefined {
  if (count === 0) return undefined
  if (current === undefined) return step === 1 ? 0 : count - 1
  return (current + step + count) % count
}

/** Cut where a match begins or ends; a match may go across pieces of different colours. */
export function markPieces(pieces: readonly AnsiPiece[], needle: string): MarkedPiece[] {
  const ranges = rangesOf(pieces.map(({ text }) => text).join(''), needle)
  let from = 0
  return pieces.flatMap((piece) => {
    const cut = cutPiece(piece, from, ranges)
    from += piece.text.length
    return cut
  })
}

type Range = readonly [from: number, to: number]

function rangesOf(text: string, needle: string): Range[] {
  // A letter may have another length in the other case: then nothing would be where it was found.
  const [hay, wanted] = [text.toLowerCase(), needle.toLowerCase()]
  if (wanted === '' || hay.length !== text.length) return []
  const found: Range[] = []
  for (let at = hay.indexOf(wanted); at >= 0; at = hay.indexOf(wanted, at + wanted.length))
    found.push([at, at + wanted.length])
  return found
}

function cutPiece(piece: AnsiPiece, from: number, ranges: readonly Range[]): MarkedPiece[] {
  const to = from + piece.text.length
  const cuts = ranges.flat().filter((at) => at > from && at < to)
  const points = [from, ...cuts, to]
  return points.slice(0, -1).flatMap((start, at) => {
    const end = points[at + 1] ?? to
    const marked = ranges.some((range) => range[0] <= start && end <= range[1])
    return start === end ? [] : [{ ...piece, text: piece.text.slice(start - from, end - from), marked }]
  })
}
