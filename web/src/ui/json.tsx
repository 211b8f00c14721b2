import { Fragment, useMemo } from 'react'
import { Button } from './button'
import { copyText } from './copy'

const shownChars = 60_000
const token = /("(?:\\.|[^"\\])*"?)(\s{0,9}:)?|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|\b(true|false|null)\b/g

interface Piece {
  text: string
  kind?: string
}

export function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = []
  let at = 0
  for (const match of text.matchAll(token)) {
    const [whole, string, colon, number] = match
    if (match.index > at) pieces.push({ text: text.slice(at, match.index) })
    if (string !== undefined) {
      pieces.push({ text: string, kind: colon === undefined ? 'json-string' : 'json-key' })
      if (colon !== undefined) pieces.push({ text: colon })
    } else pieces.push({ text: whole, kind: number === undefined ? 'json-word' : 'json-number' })
    at = match.index + whole.length
  }
  if (at < text.length) pieces.push({ text: text.slice(at) })
  return pieces
}

/** Text nodes only: whatever the value holds, it is never markup. */
export function Json({ value, label }: { value: unknown; label: string }) {
  const text = useMemo(() => JSON.stringify(value, null, 2) ?? 'null', [value])
  const pieces = useMemo(() => piecesOf(text.slice(0, shownChars)), [text])
  return (
    <figure aria-label={label}>
      <pre className="json">
        {pieces.map((piece, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: pieces are never reordered
          <Fragment key={index}>{piece.kind ? <span className={piece.kind}>{piece.text}</span> : piece.text}</Fragment>
        ))}
        {text.length > shownChars && '…'}
      </pre>
      <Button small look="quiet" icon="copy" onClick={() => void copyText(text, 'JSON copied')}>
        Copy
      </Button>
    </figure>
  )
}
