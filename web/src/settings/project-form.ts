import type { Body } from '../api/types'
import { formatBytes, formatCount } from '../ui/format'

export type Project = Body<'getProject'>

export interface ProjectDraft {
  name: string
  /** As `30d`; `0` keeps for ever; empty is the platform's. */
  retention: string
}

export const draftOf = ({ name, retention }: Project): ProjectDraft => ({ name, retention: retention ?? '' })

const span = /^(0|[1-9]\d{0,5}[smhd])$/

export function faultsOf({ name, retention }: ProjectDraft): Partial<Record<keyof ProjectDraft, string>> {
  return {
    ...(name.trim() === '' ? { name: 'A project has a name.' } : {}),
    ...(retention === '' || span.test(retention) ? {} : { retention: 'Such as 30d or 12h; 0 keeps runs for ever.' }),
  }
}

/** Only what differs. */
export function changeOf(project: Project, draft: ProjectDraft) {
  const before = draftOf(project)
  return {
    ...(draft.name.trim() === before.name ? {} : { name: draft.name.trim() }),
    ...(draft.retention === before.retention ? {} : { retention: draft.retention || null }),
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

export function quotasInWords({ quotas = {} }: Pick<Project, 'quotas'>): [string, string][] {
  return quotaWords.flatMap(([key, label]): [string, string][] => {
    const value = quotas[key]
    if (value === undefined) return []
    if (value === null) return [[label, 'unlimited']]
    return [[label, key === 'storageBytes' ? formatBytes(value) : formatCount(value)]]
  })
}
