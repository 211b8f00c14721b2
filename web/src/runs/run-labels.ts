/** Labels that a schedule puts on its runs; they say in ids what `startedBy` says in words. */
const ofSchedules = new Set(['schedule', 'tick'])

/** Those that somebody chose. */
export function ownLabels(labels: Readonly<Record<string, string>> | undefined): [string, string][] {
  const all = Object.entries(labels ?? {})
  const scheduled = all.filter(([key]) => ofSchedules.has(key)).length === ofSchedules.size
  return scheduled ? all.filter(([key]) => !ofSchedules.has(key)) : all
}
