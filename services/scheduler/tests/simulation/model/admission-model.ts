import type { Admitted } from '../../../src/db/limits/admissions.js'
import type { SlotKey } from '../../../src/db/limits/slots.js'
import { type AdmissionRow, admitRuns as decide } from '../../../src/domain/limits/admit-runs.js'
import { CONCURRENCY } from '../../../src/domain/limits/run-admission.js'
import type { AdmissionState } from '../../../src/domain/state.js'
import { putInInbox } from './inbox-model.js'
import { putSlot, slotOf } from './slot-model.js'
import type { Statement } from './statement.js'
import type { AdmissionTuple } from './tables.js'

const RUNS = 'workflow'

const toLineRow = (row: AdmissionTuple): AdmissionRow => ({
  ...{ runId: row.run_id, id: row.id, limit: row.run_limit, onLimit: row.on_limit },
})

export const admissionsOf = (s: Statement, { projectId, key }: SlotKey): AdmissionTuple[] =>
  [...s.live.all('run_admissions')].filter((row) => row.project_id === projectId && row.key === key)

/** Under the lock of the key's row, which is made where it is missing; the line is read in a later statement. */
export function admitRuns(s: Statement, key: SlotKey): Admitted {
  const { projectId: project_id, scope } = key
  const slot = slotOf(s, key) ?? { project_id, scope, key: key.key, in_use: 0, starts: null, idle_at: s.now }
  putSlot(s, slot)
  const line = admissionsOf(s, key)
  const live = line.filter(({ state, leaving }) => state === 'admitted' && !leaving).sort((a, b) => a.id - b.id)
  const waiting = line.filter(({ state }) => state === 'waiting').sort((a, b) => b.priority - a.priority || a.id - b.id)
  const decision = decide({
    ...{ waiting: waiting.map(toLineRow), live: live.map(toLineRow), liveTotal: live.length, inUse: slot.in_use },
  })
  const move = (rows: readonly AdmissionRow[], what: keyof Admitted): string[] =>
    rows.map(({ runId, id }) => {
      const row = s.live.get('run_admissions', runId)
      const change = what === 'leaving' ? { leaving: true } : { state: what, leaving: false }
      if (row) s.live.put('run_admissions', runId, { ...row, ...change })
      const command = what === 'admitted' ? { kind: 'admit' } : { kind: 'cancel', reason: CONCURRENCY }
      putInInbox(s, runId, command as never, `line:${id}:${what}`)
      return runId
    })
  if (decision.admitted.length > 0) putSlot(s, { ...slot, in_use: slot.in_use + decision.admitted.length })
  return {
    admitted: move(decision.admitted, 'admitted'),
    refused: move(decision.refused, 'refused'),
    leaving: move(decision.leaving, 'leaving'),
  }
}

const lineOf = ({ projectId, key }: { projectId: string; key: string }): string => `${projectId} ${key}`

export function findWaitingRuns(s: Statement, after: SlotKey | null): SlotKey[] {
  const keys = new Map<string, SlotKey>()
  for (const { project_id: projectId, key, state } of s.seen.all('run_admissions')) {
    if (state === 'waiting') keys.set(lineOf({ projectId, key }), { projectId, scope: RUNS, key })
  }
  return [...keys]
    .filter(([name]) => after === null || name > lineOf(after))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, key]) => key)
}

export function loadAdmission(s: Statement, runId: string): AdmissionState {
  const state = s.seen.get('run_admissions', runId)?.state
  return state === undefined ? 'none' : state === 'admitted' ? 'admitted' : 'waiting'
}
