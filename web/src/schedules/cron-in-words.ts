import { type CronField, evenStep, isRun, parseField, ranges } from './cron-fields'

const monthNames = [
  ...['January', 'February', 'March', 'April', 'May', 'June'],
  ...['July', 'August', 'September', 'October', 'November', 'December'],
]
const dayNames = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']

const nicknames: Readonly<Record<string, string>> = {
  '@hourly': '0 * * * *',
  '@daily': '0 0 * * *',
  '@weekly': '0 0 * * 0',
  '@monthly': '0 0 1 * *',
  '@yearly': '0 0 1 1 *',
}

interface Times {
  second: CronField
  minute: CronField
  hour: CronField
}

interface Days {
  day: CronField | 'last'
  month: CronField
  weekday: CronField
}

const maxTimes = 6
const pad = (value: number) => String(value).padStart(2, '0')
const list = new Intl.ListFormat('en-GB', { type: 'conjunction' })
const listed = (values: readonly number[], name: (value: number) => string = String) => list.format(values.map(name))
const units = (count: number, unit: string) => (count === 1 ? unit : `${count} ${unit}s`)

/**
 * A cron expression as a person would say it. Undefined for what is none, and for the rare forms whose words would be
 * longer than the expression: the expression is then shown alone.
 */
export function cronInWords(cron: string): string | undefined {
  const fields = (nicknames[cron.trim()] ?? cron.trim()).split(/[ \t]+/)
  if (fields.length === 5) fields.unshift('0')
  const [second, minute, hour, day, month, weekday] = fields
  if (fields.length !== 6 || !second || !minute || !hour || !day || !month || !weekday) return undefined
  const times = {
    second: parseField(second, ranges.second),
    minute: parseField(minute, ranges.minute),
    hour: parseField(hour, ranges.hour),
  }
  const days = {
    day: day === 'L' ? ('last' as const) : parseField(day, ranges.day),
    month: parseField(month, ranges.month),
    weekday: parseField(weekday, ranges.weekday),
  }
  if (!isComplete(times) || !isComplete(days)) return undefined
  return sentence(times, eitherDay(days, isRestricted(day) && isRestricted(weekday)))
}

const isRestricted = (field: string) => field !== '*' && field !== '?'

/** Cron's own rule: where date and weekday are both given, either is enough; with `1-31` among them every day is. */
function eitherDay(days: Days, bothGiven: boolean): Days {
  const dayAny = days.day !== 'last' && days.day.any
  if (!bothGiven || !(dayAny || days.weekday.any)) return days
  return { ...days, day: { any: true, values: [] }, weekday: { any: true, values: [] } }
}

const isComplete = <T extends object>(fields: { [K in keyof T]: T[K] | undefined }): fields is T =>
  Object.values(fields).every((field) => field !== undefined)

function sentence(times: Times, days: Days): string {
  const exact = exactTimes(times)
  const on = daysInWords(days)
  if (exact) return `At ${exact} ${on || 'every day'}`
  return [repeatInWords(times), on].filter(Boolean).join(', ')
}

/** `09:00 and 17:00`, where the day has few such moments. */
function exactTimes({ second, minute, hour }: Times): string | undefined {
  const count = second.values.length * minute.values.length * hour.values.length
  if (hour.any || count > maxTimes || evenlyByHour(hour)) return undefined
  const moments = hour.values.flatMap((h) =>
    minute.values.flatMap((m) =>
      second.values.map((s) => `${pad(h)}:${pad(m)}${s === 0 && second.values.length === 1 ? '' : `:${pad(s)}`}`),
    ),
  )
  return list.format(moments)
}

/** `0, 12` reads better as two times; `0, 4, 8, …` as every four hours. */
const evenlyByHour = (hour: CronField) => hour.values.length > 2 && evenStep(hour, 24) !== undefined

function repeatInWords({ second, minute, hour }: Times): string {
  const oneSecond = second.values.length === 1 ? second.values[0] : undefined
  const at = oneSecond === 0 || oneSecond === undefined ? '' : ` at second ${oneSecond}`
  if (oneSecond === undefined) return spaced('Every', stepInWords(second, 'second'), limits(minute, hour))
  if (minute.values.length === 1) return hourly(minute.values[0] ?? 0, hour) + at
  return spaced('Every', stepInWords(minute, 'minute') + at, limits(undefined, hour))
}

const spaced = (...parts: string[]) => parts.filter(Boolean).join(' ')

function stepInWords(field: CronField, unit: string): string {
  const step = evenStep(field, 60)
  const [first = 0] = field.values
  if (step !== undefined) return units(step, unit) + (first === 0 ? '' : ` from ${unit} ${first} on`)
  const larger = unit === 'second' ? 'minute' : 'hour'
  return `${larger} at ${unit}s ${isRun(field) ? `${first} to ${field.values.at(-1)}` : listed(field.values)}`
}

/** `0 * * * *` and `30 *\/2 * * *`: once in each of some hours. */
function hourly(minute: number, hour: CronField): string {
  const at = minute === 0 ? 'on the hour' : `at minute ${minute}`
  const step = evenStep(hour, 24)
  const [first = 0] = hour.values
  if (step !== undefined) return `Every ${units(step, 'hour')} ${at}${first === 0 ? '' : `, from ${pad(first)}:00 on`}`
  if (isRun(hour))
    return `Every hour ${at}, from ${pad(first)}:${pad(minute)} to ${pad(hour.values.at(-1) ?? 0)}:${pad(minute)}`
  return `At ${listed(hour.values, (value) => `${pad(value)}:${pad(minute)}`)}`
}

/** Which minutes and hours something more frequent keeps to. */
function limits(minute: CronField | undefined, hour: CronField): string {
  const within = minute === undefined || minute.any ? '' : `in minute ${listed(minute.values)}`
  if (hour.any) return within && `${within} of every hour`
  const [first = 0] = hour.values
  const last = hour.values.at(-1) ?? 0
  if (isRun(hour) || hour.values.length === 1) return spaced(within, `from ${pad(first)}:00 to ${pad(last)}:59`)
  return spaced(within, `in the hours ${listed(hour.values, pad)}`)
}

function daysInWords({ day, month, weekday }: Days): string {
  const inMonths = month.any ? '' : ` in ${monthList(month)}`
  const everyDay = day !== 'last' && day.any
  if (everyDay && weekday.any) return month.any ? '' : `every day${inMonths}`
  if (everyDay) return `${weekdays(weekday)}${inMonths}`
  const onDate = dates(day, month)
  return weekday.any ? onDate : `${onDate}, and ${weekdays(weekday)}${inMonths}`
}

function dates(day: CronField | 'last', month: CronField): string {
  const of = month.any ? 'the month' : monthList(month)
  if (day === 'last') return `on the last day of ${of}`
  const [first = 1] = day.values
  if (day.values.length === 1 && month.values.length === 1) return `on ${first} ${monthList(month)}`
  const which = isRun(day) && day.values.length > 2 ? `${first} to ${day.values.at(-1)}` : listed(day.values)
  return `on ${day.values.length === 1 ? 'day' : 'days'} ${which} of ${of}`
}

function weekdays(weekday: CronField): string {
  const name = (value: number) => dayNames[value] ?? ''
  if (isRun(weekday) && weekday.values.length > 2) {
    return `${name(weekday.values[0] ?? 0)} to ${name(weekday.values.at(-1) ?? 0)}`
  }
  // The week begins on Monday: "Saturday and Sunday" is how the weekend is said.
  const ordered = weekday.values.toSorted((a, b) => ((a + 6) % 7) - ((b + 6) % 7))
  return `on ${listed(ordered, name)}`
}

function monthList(month: CronField): string {
  const name = (value: number) => monthNames[value - 1] ?? ''
  const [first = 1] = month.values
  if (isRun(month) && month.values.length > 2) return `${name(first)} to ${name(month.values.at(-1) ?? 12)}`
  return listed(month.values, name)
}
