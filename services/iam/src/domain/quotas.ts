/** What one project may use; null = unlimited. Only a platform administrator changes it. */
export const quotaDefaults = {
  runsPerDay: null,
  storageBytes: 50 * 1024 ** 3,
  streams: 100,
  schedules: 10_000,
  workflows: 10_000,
  mailsPerDay: 1000,
} as const

export type QuotaName = keyof typeof quotaDefaults
export type Quotas = Record<QuotaName, number | null>

export const quotaNames = Object.keys(quotaDefaults) as QuotaName[]

/** `changed` holds only what was set for the project: a default that changes later changes for it too. */
export function effectiveQuotas(changed: Partial<Quotas>): Quotas {
  return { ...quotaDefaults, ...changed }
}
