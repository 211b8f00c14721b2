export interface BackfillRange {
  range?: { from: string; to: string }
  fault?: string
}

/** The text of a `datetime-local` field, in the reader's zone, to the minute. */
export function localInput(at: number): string {
  const date = new Date(at)
  const pad = (value: number) => String(value).padStart(2, '0')
  const day = `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`
  return `${day}T${pad(date.getHours())}:${pad(date.getMinutes())}`
}

/** Neither while a field is empty: somebody is still typing. */
export function backfillRange(fromText: string, toText: string): BackfillRange {
  const [from, to] = [Date.parse(fromText), Date.parse(toText)]
  if (Number.isNaN(from) || Number.isNaN(to)) return {}
  if (from >= to) return { fault: 'The end must come after the beginning.' }
  return { range: { from: new Date(from).toISOString(), to: new Date(to).toISOString() } }
}
