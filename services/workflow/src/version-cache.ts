import { compilePlan, type Plan } from '@millrace/definition'
import { notFound } from '@millrace/errors'
import type { Pool } from '@millrace/postgres'
import { LRUCache } from 'lru-cache'
import { findVersion, resolveVersion, type VersionRow } from './db/versions.js'

export interface CachedVersion {
  row: VersionRow
  plan: Plan
}

export interface VersionCache {
  /** Immutable, so an answer holds for ever. */
  byId(versionId: string): Promise<CachedVersion | undefined>
  /**
   * The newest version when `version` is 0. It may have been overtaken: whoever writes by it checks that in the same
   * statement, and calls `forget` when it was.
   */
  resolve(projectId: string, name: string, version: number): Promise<CachedVersion>
  forget(projectId: string, name: string, version: number): void
}

const maxBytes = 64 * 1024 * 1024

export function createVersionCache(pool: Pool): VersionCache {
  const versions = new LRUCache<string, CachedVersion & { bytes: number }>({
    maxSize: maxBytes,
    sizeCalculation: (v) => v.bytes,
  })
  const names = new LRUCache<string, string>({ max: 10_000 })

  const keep = (row: VersionRow): CachedVersion => {
    const known = versions.get(row.id)
    if (known !== undefined) return known
    const bytes = JSON.stringify(row.definition).length * 4 + 1_000
    const made = { row, plan: compilePlan(row.definition), bytes }
    versions.set(row.id, made)
    return made
  }
  const byId = async (id: string): Promise<CachedVersion | undefined> => {
    const known = versions.get(id)
    if (known !== undefined) return known
    const row = await findVersion(pool, id)
    return row === undefined ? undefined : keep(row)
  }
  return {
    byId,
    async resolve(projectId, name, version) {
      const key = `${projectId}/${name}/${version}`
      const knownId = names.get(key)
      const known = knownId === undefined ? undefined : await byId(knownId)
      if (known !== undefined) return known
      const { workflowExists, row } = await resolveVersion(pool, projectId, name, version)
      if (!workflowExists) throw notFound('workflow_not_found', 'There is no such workflow.')
      if (row === undefined) throw notFound('version_not_found', 'The workflow has no such version.')
      names.set(key, row.id)
      return keep(row)
    },
    forget(projectId, name, version) {
      names.delete(`${projectId}/${name}/${version}`)
    },
  }
}
