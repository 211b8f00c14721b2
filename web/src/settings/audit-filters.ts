import { fromTime } from '../ui/time-span'

export const auditOutcomes = ['success', 'denied', 'failure'] as const
export type AuditOutcome = (typeof auditOutcomes)[number]

/** The filters of the audit log, as the address has them. */
export interface AuditFilters {
  actor?: string
  action?: string
  target?: string
  outcome?: string
  from?: string
}

const names = ['actor', 'action', 'target', 'outcome', 'from'] as const

export const outcomesOf = ({ outcome }: AuditFilters): AuditOutcome[] => {
  const given = (outcome ?? '').split(',')
  return auditOutcomes.filter((each) => given.includes(each))
}

/** Also from an address that somebody typed: an outcome that does not exist is left out. */
export function auditFiltersOf(search: Readonly<Record<string, string | undefined>>): AuditFilters {
  const filters: AuditFilters = {}
  for (const name of names) {
    const value = search[name]?.trim()
    if (value) filters[name] = value
  }
  const outcomes = outcomesOf(filters)
  if (outcomes.length > 0) filters.outcome = outcomes.join(',')
  else delete filters.outcome
  return filters
}

/** The value of `outcome` after one was pressed; undefined when none is left. */
export function toggleOutcome(filters: AuditFilters, pressed: string): string | undefined {
  const chosen = new Set<string>(outcomesOf(filters))
  if (!chosen.delete(pressed)) chosen.add(pressed)
  return auditOutcomes.filter((each) => chosen.has(each)).join(',') || undefined
}

export function auditQueryOf(filters: AuditFilters, now: number) {
  const { outcome: _, action, from, ...rest } = filters
  const outcome = outcomesOf(filters)
  const since = fromTime(from, now)
  return {
    ...rest,
    ...(action === undefined ? {} : { action: action.split(',') }),
    ...(outcome.length > 0 ? { outcome } : {}),
    ...(since === undefined ? {} : { from: since }),
  }
}
