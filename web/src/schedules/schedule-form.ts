import type { Problem } from '../api/problem'
import type { Schedule } from '../api/types'
import { parseJson } from '../ui/parse-json'

/** The form's fields as typed; `timing` is a cron expression or an interval. */
export interface ScheduleFields {
  name: string
  workflow: string
  kind: 'cron' | 'every'
  timing: string
  timezone: string
  input: string
  catchup: Schedule['catchup']
  paused: boolean
}

export type FieldName = keyof ScheduleFields

export const catchupWords: Record<Schedule['catchup'], string> = {
  none: 'Missed ticks are left out',
  last: 'The last missed tick is made up for',
  all: 'Every missed tick is made up for',
}

export const emptyFields = (workflow: string, timezone: string): ScheduleFields => ({
  ...{ name: '', workflow, kind: 'cron', timing: '', timezone, input: '{}', catchup: 'none', paused: false },
})

export const fieldsOf = (schedule: Schedule): ScheduleFields => ({
  name: schedule.name ?? '',
  workflow: schedule.workflow,
  kind: schedule.every === null ? 'cron' : 'every',
  timing: schedule.every ?? schedule.cron ?? '',
  timezone: schedule.timezone,
  input: JSON.stringify(schedule.input ?? {}, null, 2),
  catchup: schedule.catchup,
  paused: schedule.paused,
})

/** What is known to be wrong before anybody is asked. */
export function faultsOf({ workflow, timing, input }: ScheduleFields): Partial<Record<FieldName, string>> {
  const json = parseJson(input).fault
  return {
    ...(workflow.trim() === '' ? { workflow: 'Choose a workflow.' } : {}),
    ...(timing.trim() === '' ? { timing: 'Say when.' } : {}),
    ...(json === undefined ? {} : { input: json }),
  }
}

const fieldAt: Readonly<Record<string, FieldName>> = { cron: 'timing', every: 'timing' }
const known: ReadonlySet<string> = new Set<FieldName>([
  ...(['name', 'workflow', 'kind', 'timing', 'timezone', 'input', 'catchup', 'paused'] as const),
])

/** The API's refusals at the fields that they are about; what is about none of them is left to the toast. */
export function refusalsOf(problem: Problem | undefined): Partial<Record<FieldName, string>> {
  const found = (problem?.errors ?? []).flatMap(({ path, message }): [string, string][] => {
    const [first = '', ...rest] = path.replace(/^\//, '').split(/[./]/)
    const field = fieldAt[first] ?? first
    return known.has(field) ? [[field, rest.length > 0 ? `${rest.join('.')}: ${message}` : message]] : []
  })
  return Object.fromEntries(found)
}

export function bodyOf({ name, workflow, kind, timing, timezone, input, catchup, paused }: ScheduleFields) {
  const { value } = parseJson(input)
  return {
    name: name.trim(),
    workflow: workflow.trim(),
    timezone: timezone.trim() || 'UTC',
    catchup,
    paused,
    input: value ?? {},
    ...(kind === 'cron' ? { cron: timing.trim() } : { every: timing.trim() }),
  }
}
