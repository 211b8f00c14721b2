import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import type { Evaluations } from '@millrace/definition'
import { ThreadPool } from '@millrace/off-thread'
import type { EvaluationTask } from './evaluation-thread.js'
import { evaluationMetrics } from './metrics.js'

/** Evaluates ahead, outside of the thread that decides. */
export interface EvaluateElsewhere {
  run(task: EvaluationTask): Promise<Evaluations>
  close(): Promise<void>
}

/** About a second's worth is asked for, ten times that on a machine with no time left; compiling a definition takes up to 4 s. */
const deadlineMs = 30_000
const memoryMb = 512
/** One: decisions of different projects take turns in it, and other cores stay with the engine and the database. */
const threads = 1
const maxQueued = 10_000

export function evaluateInThreads(): EvaluateElsewhere {
  const script = createRequire(import.meta.url).resolve('@millrace/scheduler-service/evaluation-thread')
  const pool = new ThreadPool({ script: pathToFileURL(script), threads, memoryMb, maxQueued })
  return {
    run: async (task) => {
      evaluationMetrics.elsewhere.inc()
      return (await pool.run(task, { key: task.work.state.projectId, deadlineMs })) as Evaluations
    },
    close: () => pool.close(),
  }
}
