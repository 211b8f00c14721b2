/** Durations, times and sizes as they are read everywhere in the console. Times are numbers of milliseconds. */

export function formatDuration(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`
  if (ms < 10_000) return `${(Math.floor(ms / 100) / 10).toFixed(1)} s`
  const seconds = Math.floor(ms / 1_000)
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes} m ${pad(seconds % 60)} s`
  const hours = Math.floor(minutes / 60)
  if (hours < 24) return `${hours} h ${pad(minutes % 60)} m`
  return `${Math.floor(hours / 24)} d ${hours % 24} h`
}

const pad = (value: number) => String(value).padStart(2, '0')

const units: readonly [number, string][] = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'm'],
  [1_000, 's'],
]

/** With the units of durations, which often stand beside it. */
export function formatRelative(at: number, now: number): string {
  const distance = Math.abs(at - now)
  const [size, unit] = units.find(([each]) => distance >= each) ?? [1_000, 's']
  if (distance < 1_500) return 'now'
  const text = `${Math.trunc(distance / size)} ${unit}`
  return at < now ? `${text} ago` : `in ${text}`
}

export function formatAbsolute(at: number, timeZone?: string): string {
  return new Intl.DateTimeFormat('en-GB', {
    dateStyle: 'medium',
    timeStyle: 'medium',
    ...(timeZone ? { timeZone } : {}),
  }).format(at)
}

const instant = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g

/** A sentence of the API with its times as the reader's clock shows them. */
export const withLocalTimes = (text: string, timeZone?: string): string =>
  text.replaceAll(instant, (found) => formatAbsolute(Date.parse(found), timeZone))

export function formatBytes(bytes: number): string {
  if (bytes < 1_024) return `${bytes} B`
  const steps = ['KiB', 'MiB', 'GiB', 'TiB']
  let value = bytes / 1_024
  let step = 0
  while (value >= 1_024 && step < steps.length - 1) {
    value /= 1_024
    step += 1
  }
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${steps[step]}`
}

const counts = new Intl.NumberFormat('en')
export const formatCount = (value: number): string => counts.format(value)

export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${formatCount(count)} ${count === 1 ? one : many}`

/** The beginning of an id is its time and says little; its end tells ids of one moment apart. */
export const shortId = (id: string): string => (id.length > 13 ? id.slice(-8) : id)
