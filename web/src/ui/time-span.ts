const spans: Readonly<Record<string, number>> = {
  '1h': 3_600_000,
  '24h': 86_400_000,
  '7d': 604_800_000,
  '30d': 2_592_000_000,
}
export const timeSpans = Object.keys(spans)

/** `from` may be a span before now, so that a saved view stays true; the API wants a time. */
export function fromTime(from: string | undefined, now: number): string | undefined {
  if (from === undefined) return undefined
  const span = spans[from]
  // Rounded, so that the same view asks the same question for a while.
  return span === undefined ? from : new Date(Math.floor((now - span) / 10_000) * 10_000).toISOString()
}
