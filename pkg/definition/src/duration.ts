const unitMs: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

export const maxDurationMs = 366 * 86_400_000

const short = /^(\d{1,12}(?:\.\d{1,6})?)(ms|s|m|h|d)$/
const iso =
  /^P(?:(\d{1,9}(?:[.,]\d{1,9})?)W)?(?:(\d{1,9}(?:[.,]\d{1,9})?)D)?(?:T(?:(\d{1,9}(?:[.,]\d{1,9})?)H)?(?:(\d{1,9}(?:[.,]\d{1,9})?)M)?(?:(\d{1,9}(?:[.,]\d{1,9})?)S)?)?$/

/** `500ms 30s 5m 1h 2d`, or ISO 8601 without years and months, whose length is not fixed. Undefined when neither. */
export function parseDuration(text: string): number | undefined {
  const simple = short.exec(text)
  if (simple !== null) return bounded(Number(simple[1]) * (unitMs[simple[2] as string] as number))
  const parts = iso.exec(text)
  if (parts === null || text.endsWith('P') || text.endsWith('T')) return undefined
  const [weeks, days, hours, minutes, seconds] = parts.slice(1).map((p) => Number((p ?? '0').replace(',', '.')))
  const totalDays = (weeks ?? 0) * 7 + (days ?? 0)
  return bounded(totalDays * 86_400_000 + (hours ?? 0) * 3_600_000 + (minutes ?? 0) * 60_000 + (seconds ?? 0) * 1_000)
}

function bounded(ms: number): number | undefined {
  return Number.isFinite(ms) && ms <= maxDurationMs ? Math.round(ms) : undefined
}
