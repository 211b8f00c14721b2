const width = 44

/**
 * A trace as lines: the tree of its spans at the left, when each ran at the right. Spans whose parent is not there (the caller's own)
 * stand at the root. Times are nanoseconds in text, as OTLP has them.
 */
export function drawTrace(spans) {
  const at = (time) => Number(BigInt(time) / 1000n) / 1000
  const timed = spans.map((span) => ({ ...span, from: at(span.startTimeUnixNano), to: at(span.endTimeUnixNano) }))
  timed.sort((a, b) => a.from - b.from)
  const known = new Set(timed.map(({ spanId }) => spanId))
  const begin = Math.min(...timed.map(({ from }) => from))
  const end = Math.max(...timed.map(({ to }) => to))
  const lines = []
  const draw = (span, depth) => {
    const label = `${'  '.repeat(depth)}${span.service}: ${span.name}`
    const bar = drawBar(span.from - begin, span.to - begin, end - begin)
    lines.push(`${label.slice(0, 56).padEnd(56)} ${bar} ${(span.to - span.from).toFixed(1).padStart(8)} ms`)
    for (const child of timed) if (child.parentSpanId === span.spanId) draw(child, depth + 1)
  }
  for (const span of timed) if (!known.has(span.parentSpanId)) draw(span, 0)
  return lines
}

function drawBar(from, to, whole) {
  const place = (time) => (whole > 0 ? Math.floor((time / whole) * (width - 1)) : 0)
  const start = place(from)
  const length = Math.max(1, place(to) - start + 1)
  return `│${' '.repeat(start)}${'█'.repeat(length)}${' '.repeat(width - start - length)}│`
}
