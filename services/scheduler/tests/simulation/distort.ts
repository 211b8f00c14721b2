import type { BatchRows } from '../../src/db/batch/clauses.js'
import type { Chance } from './chance.js'
import type { OperationName } from './model/operations.js'

/** Now and then a command that must lose: another rev, another token, another lease. Both sides go on from there. */
export function distort(chance: Chance, name: OperationName, args: unknown[]): unknown[] {
  if (!chance.bool(0.15)) return args
  if (name === 'handBackTasks') {
    const [held] = args as [{ token: number; leaseId: string }[]]
    return [
      held.map((one) => (chance.bool(0.5) ? { ...one, token: one.token + 1 } : { ...one, leaseId: chance.uuid() })),
    ]
  }
  if (name !== 'writeBatch') return args
  const [rows, ...rest] = args as [BatchRows, ...unknown[]]
  const runChanges = rows.runChanges.map((row) =>
    chance.bool(0.4) ? { ...row, expectedRev: row.expectedRev - 1 } : row,
  )
  const guards = rows.guards.map((row) => {
    const token = chance.bool(0.3) ? row.token + 1 : row.token
    return { ...row, token, sessionId: chance.bool(0.2) ? chance.uuid() : row.sessionId }
  })
  const firedTimers = rows.firedTimers.map((row) => (chance.bool(0.3) ? { ...row, id: 0 } : row))
  const itemChanges = rows.itemChanges.map((row) => ({
    ...row,
    token: chance.bool(0.3) ? (row.token ?? 0) + 1 : row.token,
    ending: chance.bool(0.1) ? 'stop' : row.ending,
    paused: chance.bool(0.1) ? true : row.paused,
  }))
  const slices = rows.slices.map((row) => ({
    ...row,
    firstIndex: chance.bool(0.2) ? row.firstIndex + 1 : row.firstIndex,
    round: chance.bool(0.1) ? row.round + 1 : row.round,
  }))
  return [{ ...rows, runChanges, guards, firedTimers, itemChanges, slices } satisfies BatchRows, ...rest]
}
