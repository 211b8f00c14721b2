import type { IamClient } from '@millrace/iam-client'
import { type Identity, roleAllows } from '@millrace/identity'
import type { Logger } from '@millrace/logger'
import { LRUCache } from 'lru-cache'
import type { ProtoRun } from './clients/scheduler.js'

/** A person who changed their name is seen under it within this time. */
const FRESH_MS = 60_000
const MAX_NAMES = 50_000

export type NameStarters = (
  reader: Pick<Identity, 'projectId' | 'role'>,
  runs: readonly Pick<ProtoRun, 'requestedBy' | 'requestedByName'>[],
) => Promise<void>

/**
 * Writes into runs what those are called who started them: members for whoever may list members, which is everybody, and
 * keys for owners, who alone may list keys. Names of schedules are there already. Without iam there are no names.
 */
export function createStarterNames(ask: IamClient['subjectNames'], logger: Logger): NameStarters {
  /** Empty: it has none. */
  const known = new LRUCache<string, string>({ max: MAX_NAMES, ttl: FRESH_MS })
  const placeOf = (projectId: string, subject: string) => `${projectId} ${subject}`

  async function read(projectId: string, subjects: readonly string[]): Promise<void> {
    try {
      const names = await ask(projectId, subjects)
      for (const subject of subjects) known.set(placeOf(projectId, subject), names[subject] ?? '')
    } catch (error) {
      logger.debug({ err: error }, 'iam could not be asked for names; runs are shown without them')
    }
  }

  return async ({ projectId, role }, runs) => {
    const isNamed = ({ requestedBy }: Pick<ProtoRun, 'requestedBy'>): boolean =>
      requestedBy.startsWith('user:') || (requestedBy.startsWith('key:') && roleAllows(role, 'owner'))
    const named = runs.filter(isNamed)
    const missing = new Set(named.map(({ requestedBy }) => requestedBy))
    for (const subject of missing) if (known.has(placeOf(projectId, subject))) missing.delete(subject)
    if (missing.size > 0) await read(projectId, [...missing])
    for (const run of named) run.requestedByName = known.get(placeOf(projectId, run.requestedBy)) ?? ''
  }
}
