/** One field of a cron expression, read into the values that it stands for. */
export interface CronField {
  any: boolean
  values: readonly number[]
}

interface Range {
  min: number
  max: number
  names?: readonly string[]
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const days = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']

export const ranges = {
  second: { min: 0, max: 59 },
  minute: { min: 0, max: 59 },
  hour: { min: 0, max: 23 },
  day: { min: 1, max: 31 },
  month: { min: 1, max: 12, names: months },
  // 7 is Sunday too.
  weekday: { min: 0, max: 7, names: days },
} satisfies Record<string, Range>

function numberOf(text: string, { min, max, names }: Range): number | undefined {
  const named = names?.indexOf(text.toLowerCase()) ?? -1
  const value = named >= 0 ? named + min : /^\d{1,2}$/.test(text) ? Number(text) : Number.NaN
  return value >= min && value <= max ? value : undefined
}

function partOf(text: string, range: Range): number[] | undefined {
  const [span = '', stepText, ...rest] = text.split('/')
  const step = stepText === undefined ? 1 : /^\d{1,2}$/.test(stepText) ? Number(stepText) : 0
  if (rest.length > 0 || step === 0) return undefined
  const whole = span === '*' || span === '?'
  const [from = '', to, ...more] = span.split('-')
  const first = whole ? range.min : numberOf(from, range)
  // `5/10` counts on to the end of the field; `5` alone does not.
  const end = whole || (to === undefined && stepText !== undefined) ? lastOf(range) : numberOf(to ?? from, range)
  if (more.length > 0 || first === undefined || end === undefined || end < first) return undefined
  return Array.from({ length: Math.floor((end - first) / step) + 1 }, (_, index) => first + index * step)
}

const lastOf = ({ max }: Range): number => (max === 7 ? 6 : max)

/** Undefined for what is no field, and for what only a scheduler understands (`L`, `W`, `#`). */
export function parseField(text: string, range: Range): CronField | undefined {
  const parts = text.split(',').map((part) => partOf(part, range))
  if (parts.some((part) => part === undefined)) return undefined
  const numbers = parts.flatMap((part) => part ?? []).map((value) => (range.max === 7 ? value % 7 : value))
  const values = [...new Set(numbers)].toSorted((a, b) => a - b)
  return { any: values.length === lastOf(range) - range.min + 1, values }
}

/** `2, 5, 8, …` up to the end of the field, and over it into the next one without a jump: what "every 3" means. */
export function evenStep({ values }: CronField, size: number): number | undefined {
  const [first = 0, second] = values
  if (second === undefined) return undefined
  const step = second - first
  const even = values.every((value, index) => value === first + index * step)
  return even && size % step === 0 && values.length === size / step ? step : undefined
}

export const isRun = ({ values }: CronField): boolean =>
  values.length > 1 && (values.at(-1) ?? 0) - (values[0] ?? 0) === values.length - 1
