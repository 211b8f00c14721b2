import { crashPoint } from '@millrace/crash-point'
import type { JobStore, LogLine } from '@millrace/job-store'
import { type Batcher, createBatcher, failFaulty, isDataError } from '@millrace/postgres'
import { logLines } from '../telemetry.js'
import type { RunHints } from './run-hints.js'

/** One call's lines are at most 8 MiB, the limit of a gRPC message; so a batch stays within 64 MiB. */
const CALLS_A_BATCH = 8
const CONCURRENCY = 2

export type LogAppender = Batcher<LogLine[], void>

/** Calls that wait while others are written share one statement, and one flush. */
export function createLogAppender(store: Pick<JobStore, 'appendLogs'>, hints: RunHints): LogAppender {
  return createBatcher<LogLine[], void>({
    maxBatch: CALLS_A_BATCH,
    concurrency: CONCURRENCY,
    async run(calls) {
      crashPoint('metadata.logs.before')
      // Should one call's data be refused, it fails alone.
      const failures = await failFaulty(calls, (part) => append(store, part), isDataError)
      crashPoint('metadata.logs.stored')
      const stored = calls.filter((_, i) => failures[i] === undefined).flat()
      logLines.inc(stored.length)
      hints.notify(new Set(stored.map((line) => line.runId)), 'lines')
      return failures
    },
  })
}

async function append(store: Pick<JobStore, 'appendLogs'>, calls: readonly LogLine[][]): Promise<undefined[]> {
  await store.appendLogs(calls.flat())
  return calls.map(() => undefined)
}
