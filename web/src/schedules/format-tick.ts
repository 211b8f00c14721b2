/** Whether any of these says something with its seconds: then all show them, or one of them would read as less exact. */
export const haveSeconds = (ticks: readonly string[]): boolean =>
  ticks.some((tick) => new Date(tick).getUTCSeconds() !== 0)

/** With the day of the week, which is what schedules are about; the year only where it says something. */
export function formatTick(tick: string, timeZone: string, thisYear: number, seconds = haveSeconds([tick])): string {
  const at = new Date(tick)
  const year = new Intl.DateTimeFormat('en', { year: 'numeric', timeZone }).format(at)
  return new Intl.DateTimeFormat('en-GB', {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    timeZone,
    ...(seconds ? { second: '2-digit' } : {}),
    ...(year === String(thisYear) ? {} : { year: 'numeric' }),
  }).format(at)
}
