import type { Body } from '../api/types'
import { formatBytes, formatCount } from '../ui/format'

export type Project = Body<'getProject'>

export interface ProjectDraft {
  name: string
  /** As `30d`, `500 runs` or `30d 500 runs`; `0` keeps for ever; empty is the platform's. */
  retention: string
}

export const draftOf = ({ name, retention }: Project): ProjectDraft => ({ name, retention: textOf(retention) })

function textOf(retention: Project['retention']): string {
  if (typeof retention !== 'object' || retention === null) return String(retention ?? '')
  const { age, runs } = retention
  return [age, runs === undefined ? undefined : `${runs} runs`].filter((part) => part !== undefined).join(' ')
}

const span = /^(?:(0|[1-9]\d{0,5}[smhd])|(?:([1-9]\d{0,5}[smhd]) )?([1-9]\d{0,5}) runs)$/

function retentionOf(text: string): Project['retention'] {
  const [, , age, runs] = span.exec(text) ?? []
  if (runs === undefined) return text || null
  return { ...(age === undefined ? {} : { age }), runs: Number(runs) }
}

export function faultsOf({ name, retention }: ProjectDraft): Partial<Record<keyof ProjectDraft, string>> {
  return {
    ...(name.trim() === '' ? { name: 'A project has a name.' } : {}),
    ...(retention === '' || span.test(retention)
      ? {}
      : { retention: 'Such as 30d, 500 runs or 30d 500 runs; 0 keeps runs for ever.' }),
  }
}

/** Only what differs. */
export function changeOf(project: Project, draft: ProjectDraft) {
  const before = draftOf(project)
  return {
    ...(draft.name.trim() === before.name ? {} : { name: draft.name.trim() }),
    ...(draft.retention === before.retention ? {} : { retention: retentionOf(draft.retention) ?? null }),
  }
}

const quotaWords: readonly [keyof NonNullable<Project['quotas']>, string][] = [
  ['runsPerDay', 'Runs a day'],
  ['storageBytes', 'Storage'],
  ['streams', 'Open streams'],
  ['schedules', 'Schedules'],
  ['workflows', 'Workflows'],
  ['mailsPerDay', 'Mails a day'],
]

export type Usage = Body<'getProjectUsage'>

export interface QuotaRow {
  label: string
  words: string
  /** Share of the quota in use, 0 to 1; undefined where there is no bound or nothing is known. */
  share: number | undefined
}

const amount = (key: string, value: number): string =>
  key === 'storageBytes' ? formatBytes(value) : formatCount(value)

/** Each quota with what is used of it now, once that is known. */
export function quotasInWords(
  { quotas = {} }: Pick<Project, 'quotas'>,
  usage: Partial<Usage['usage']> = {},
): QuotaRow[] {
  return quotaWords.flatMap(([key, label]): QuotaRow[] => {
    const bound = quotas[key]
    const used = usage[key]
    if (bound === undefined) return []
    const of = bound === null ? 'unlimited' : amount(key, bound)
    if (used === undefined) return [{ label, words: of, share: undefined }]
    return [{ label, words: `${amount(key, used)} of ${of}`, share: bound ? Math.min(1, used / bound) : undefined }]
  })
}
