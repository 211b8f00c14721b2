/** With the day of the week, which is what schedules are about; seconds and the year only where they say something. */
export function formatTick(tick: string, timeZone: string, thisYear: number): string {
  const at = new Date(tick)
  const year = new Intl.DateTimeFormat('en', { year: 'numeric', timeZone }).format(at)
  return new Intl.DateTimeFormat('en-GB', {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    timeZone,
    ...(at.getUTCSeconds() === 0 ? {} : { second: '2-digit' }),
    ...(year === String(thisYear) ? {} : { year: 'numeric' }),
  }).format(at)
}
