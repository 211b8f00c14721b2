import { type Outcome, p } from './results.js'

const [width, height, left, gap] = [880, 120, 60, 34]

interface Series {
  title: string
  points: [number, number][]
}

/** Small charts below each other, over the seconds of the scenario: plain SVG, no library. */
export function plot(outcome: Outcome): string {
  const charts = seriesOf(outcome)
  const total = charts.length * (height + gap) + 30
  const end = Math.max(outcome.seconds, ...outcome.samples.map(({ second }) => second))
  const body = charts.map((series, index) => chart(series, 30 + index * (height + gap), end)).join('\n')
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width + left + 20}" height="${total}" font-family="sans-serif" font-size="11">
<rect width="100%" height="100%" fill="white"/>
<text x="${left}" y="16" font-size="13">${outcome.name}, ${outcome.seconds} s, ${outcome.sent.started} runs</text>
${body}
</svg>
`
}

function seriesOf({ runs, samples, seconds }: Outcome): Series[] {
  const bucket = Math.max(1, seconds / 120)
  const buckets = new Map<number, number[]>()
  for (const { second, ms } of runs) {
    const at = Math.floor(second / bucket) * bucket
    const values = buckets.get(at)
    if (values) values.push(ms)
    else buckets.set(at, [ms])
  }
  const times = [...buckets].sort(([a], [b]) => a - b)
  const of = (q: number): [number, number][] => times.map(([at, values]) => [at, p(values, q)])
  return [
    { title: 'run, p50, ms', points: of(0.5) },
    { title: 'run, p99, ms', points: of(0.99) },
    { title: 'events not yet read', points: samples.map(({ second, lag }) => [second, lag]) },
    { title: 'memory of all Node processes, MB', points: samples.map(({ second, memoryMb }) => [second, memoryMb]) },
    { title: 'size of the database, MB', points: samples.map(({ second, databaseMb }) => [second, databaseMb]) },
  ]
}

function chart({ title, points }: Series, top: number, end: number): string {
  const most = Math.max(1, ...points.map(([, value]) => value))
  const x = (second: number) => (left + (second / end) * width).toFixed(1)
  const y = (value: number) => (top + height - (value / most) * height).toFixed(1)
  const line = points.map(([second, value]) => `${x(second)},${y(value)}`).join(' ')
  return `<text x="${left}" y="${top - 4}">${title}</text>
<text x="${left - 6}" y="${top + 8}" text-anchor="end">${Math.round(most)}</text><text x="${left - 6}" y="${top + height}" text-anchor="end">0</text>
<rect x="${left}" y="${top}" width="${width}" height="${height}" fill="none" stroke="#ccc"/>
<polyline points="${line}" fill="none" stroke="#0a58ca" stroke-width="1.5"/>`
}
