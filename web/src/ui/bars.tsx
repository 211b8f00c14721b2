import { type KeyboardEvent, type PointerEvent, useRef, useState } from 'react'

export interface BarColumn {
  /** When the column begins, in milliseconds. */
  at: number
  label: string
  parts: readonly { tone: string; value: number }[]
}

interface BarsProps {
  label: string
  columns: readonly BarColumn[]
  /** One column was clicked, or several were brushed: the first and the last of them. */
  onPick: (first: number, last: number) => void
}

const totalOf = ({ parts }: BarColumn): number => parts.reduce((sum, { value }) => sum + value, 0)

/**
 * Stacked columns over time; a click picks one, a drag picks a range. A few dozen rectangles need no chart library, and
 * as elements they carry the theme and a label each.
 */
export function Bars({ label, columns, onPick }: BarsProps) {
  const [brush, setBrush] = useState<[number, number]>()
  const start = useRef<number>(undefined)
  const highest = Math.max(1, ...columns.map(totalOf))
  const indexOf = (event: PointerEvent<HTMLElement>): number => {
    const { left, width } = event.currentTarget.getBoundingClientRect()
    return Math.min(columns.length - 1, Math.max(0, Math.floor(((event.clientX - left) / width) * columns.length)))
  }
  const end = (event: PointerEvent<HTMLElement>) => {
    if (start.current === undefined) return
    const [first, last] = [start.current, indexOf(event)].toSorted((a, b) => a - b)
    start.current = undefined
    setBrush(undefined)
    onPick(first ?? 0, last ?? 0)
  }
  const pickBrushed = (index: number) => {
    const [first, last] = brush ?? [index, index]
    onPick(Math.min(first, last), Math.max(first, last))
  }
  /** Shift and an arrow brush from the focused column on; Enter picks, and so does the click that Space makes. */
  const onKey = (event: KeyboardEvent, index: number) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    const [first, last] = brush ?? [index, index]
    if (event.key === 'Enter') pickBrushed(index)
    else if (event.shiftKey && step !== undefined)
      setBrush([first, Math.min(columns.length - 1, Math.max(0, last + step))])
    else return
    event.preventDefault()
  }
  return (
    <fieldset
      className="bars"
      aria-label={label}
      onPointerDown={(event) => {
        start.current = indexOf(event)
        event.currentTarget.setPointerCapture(event.pointerId)
      }}
      onPointerMove={(event) => {
        if (start.current !== undefined) setBrush([start.current, indexOf(event)])
      }}
      onPointerUp={end}
    >
      {columns.map((column, index) => (
        <button
          key={column.at}
          type="button"
          className="bars-column"
          data-brushed={brush !== undefined && index >= Math.min(...brush) && index <= Math.max(...brush)}
          aria-label={column.label}
          title={column.label}
          onKeyDown={(event) => onKey(event, index)}
          // Without a pointer: Space, or a screen reader's click. A pointer's is handled where it was pressed and let go.
          onClick={(event) => event.detail === 0 && pickBrushed(index)}
          onBlur={() => setBrush(undefined)}
        >
          {column.parts.map(({ tone, value }) =>
            value === 0 ? null : (
              <span key={tone} className={`bars-part bar-${tone}`} style={{ height: `${(value / highest) * 100}%` }} />
            ),
          )}
        </button>
      ))}
    </fieldset>
  )
}
