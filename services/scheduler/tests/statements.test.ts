import { describe, expect, test } from 'vitest'
import type { Flags } from '../src/db/batch/clause.js'
import { emptyRows, type RowKind, type Shape, shapeOf } from '../src/db/batch/clauses.js'
import { buildStatement } from '../src/db/batch/statement.js'

const shape = (kinds: readonly RowKind[], flags: Partial<Flags & { dequeue: boolean }> = {}): Shape => ({
  ...shapeOf(emptyRows(), false),
  ...Object.fromEntries(kinds.map((kind) => [kind, true])),
  ...flags,
})

/** The shapes that make up nearly all batches of runs of plain tasks, and of maps. */
const common: Record<string, Shape> = {
  'new-runs': shape(['newRuns', 'newTasks', 'queued', 'events']),
  'new-runs-leased-at-once': shape(['newRuns', 'newTasks', 'events']),
  'report-makes-next-ready': shape(['runChanges', 'guards', 'taskChanges', 'payloads', 'queued', 'events'], {
    dequeue: true,
  }),
  'report-leases-next-at-once': shape(['runChanges', 'guards', 'taskChanges', 'payloads', 'events']),
  'report-ends-run': shape(['runChanges', 'guards', 'taskChanges', 'payloads', 'events'], {
    ended: true,
    dequeue: true,
  }),
  'report-fails-attempt': shape(['runChanges', 'guards', 'taskChanges', 'newTimers', 'events'], {
    attemptFailures: true,
  }),
  'slice-of-a-map': shape(['slices', 'newItems', 'payloads'], { queuedItems: true }),
  'report-of-a-map-item': shape(['itemChanges', 'taskChanges', 'payloads']),
  'timer-begins-retry': shape(['runChanges', 'firedTimers', 'taskChanges', 'queued', 'events']),
}

describe('the text of a statement', () => {
  // Review a change of these files as you would review SQL; `vitest -u` writes them anew.
  test.each(Object.entries(common))('%s', async (name, one) => {
    await expect(`${buildStatement(one).text}\n`).toMatchFileSnapshot(`./statements/${name}.sql`)
  })

  test('has a parameter for each column that is sent, and binds as many values', () => {
    const rows = emptyRows()
    rows.guards.push({ runId: 'r', taskId: 't', token: 1, leaseId: 'l', sessionId: null })
    rows.taskChanges.push({
      ...{ id: 't', unit: 'r', status: 'succeeded', attempt: 1, maxAttempts: 1, error: null, attemptFailed: false },
      ...{ fence: false, leaseId: null, sessionId: null, workerId: null, mayHoldSlots: false },
    })
    const { text, bind } = buildStatement(shapeOf(rows, false))
    const values = bind(rows, { max: 0 } as never)
    const numbers = [...text.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number))
    expect(values.length).toBe(Math.max(...numbers))
    expect(values).toContainEqual(['l'])
    expect(values).toContainEqual([null])
  })
})
