export interface Line {
  id: string
  label: string
  /** One a column; undefined where nothing is known. */
  values: readonly (number | undefined)[]
}

interface LinesProps {
  label: string
  lines: readonly Line[]
  format: (value: number) => string
}

const width = 1_000
const height = 56

/** Values over the same columns as the bars above; a gap where there is none. Each line has its own dash as well as its colour. */
export function Lines({ label, lines, format }: LinesProps) {
  const known = lines.flatMap(({ values }) => values.filter((value) => value !== undefined))
  const most = Math.max(1, ...known)
  const x = (index: number, of: number) => ((index + 0.5) / of) * width
  const y = (value: number) => height - 3 - (value / most) * (height - 8)
  return (
    <figure className="throughput-chart">
      <svg
        className="lines"
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={label}
      >
        {lines.flatMap(({ id, values }) =>
          piecesOf(values).map((piece) => (
            <polyline
              key={`${id}${piece[0]?.index}`}
              className={`line-${id}`}
              points={(piece.length === 1 ? [...piece, ...piece] : piece)
                .map(
                  ({ index, value }, at) =>
                    `${x(index, values.length) + (piece.length === 1 ? at * 6 - 3 : 0)},${y(value)}`,
                )
                .join(' ')}
            />
          )),
        )}
      </svg>
      <span className="throughput-most muted">{known.length > 0 && format(most)}</span>
      <figcaption className="lines-legend muted">
        {lines.map(({ id, label: name }) => (
          <span key={id}>
            <svg viewBox="0 0 20 8" aria-hidden="true">
              <line className={`line-${id}`} x1="0" x2="20" y1="4" y2="4" strokeWidth="2" />
            </svg>{' '}
            {name}
          </span>
        ))}
      </figcaption>
    </figure>
  )
}

interface Point {
  index: number
  value: number
}

/** Runs of known values; a line is not drawn across what is unknown. */
export function piecesOf(values: readonly (number | undefined)[]): Point[][] {
  const pieces: Point[][] = []
  values.forEach((value, index) => {
    if (value === undefined) return
    const last = pieces.at(-1)
    if (last && last.at(-1)?.index === index - 1) last.push({ index, value })
    else pieces.push([{ index, value }])
  })
  return pieces
}
