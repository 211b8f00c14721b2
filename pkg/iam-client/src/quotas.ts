import type { iam } from '@millrace/contracts'
import { LRUCache } from 'lru-cache'

export interface ProjectQuotas {
  /** Null: no limit. */
  runsPerDay: number | null
  storageBytes: number | null
  streams: number | null
  schedules: number | null
  workflows: number | null
  mailsPerDay: number | null
  /** Raised by every change. */
  revision: number
}

/** What a project may use, as iam said a moment ago. */
export type QuotasOf = (projectId: string) => Promise<ProjectQuotas>

export const noQuotas: ProjectQuotas = {
  ...{ runsPerDay: null, storageBytes: null, streams: null, schedules: null, workflows: null, mailsPerDay: null },
  revision: 0,
}

export const quotasOf = (message: iam.Quotas__Output | null): ProjectQuotas => ({
  runsPerDay: message?.runsPerDay ?? null,
  storageBytes: message?.storageBytes ?? null,
  streams: message?.streams ?? null,
  schedules: message?.schedules ?? null,
  workflows: message?.workflows ?? null,
  mailsPerDay: message?.mailsPerDay ?? null,
  revision: message?.revision ?? 0,
})

/** A change of quotas takes effect within this time. */
const FRESH_MS = 3000

interface Known {
  readAt: number
  quotas: ProjectQuotas
}

/**
 * One question for each project and three seconds, however many requests there are. While iam cannot be asked, what it
 * said last stands: quotas bound use over days, and an outage must not stop work that is allowed.
 */
export function rememberQuotas(ask: QuotasOf, now: () => number = () => performance.now()): QuotasOf {
  const known = new LRUCache<string, Known>({ max: 20_000 })
  const asking = new Map<string, Promise<ProjectQuotas>>()

  async function read(projectId: string): Promise<ProjectQuotas> {
    const readAt = now()
    try {
      const quotas = await ask(projectId)
      known.set(projectId, { readAt, quotas })
      return quotas
    } catch (error) {
      const last = known.get(projectId)
      if (!last) throw error
      // The next question waits as long as after an answer: an iam in trouble is not asked by every request.
      known.set(projectId, { readAt, quotas: last.quotas })
      return last.quotas
    }
  }

  return async (projectId) => {
    const last = known.get(projectId)
    if (last && now() - last.readAt < FRESH_MS) return last.quotas
    const pending = asking.get(projectId) ?? read(projectId).finally(() => asking.delete(projectId))
    asking.set(projectId, pending)
    return pending
  }
}
