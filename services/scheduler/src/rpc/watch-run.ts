import { setTimeout as sleep } from 'node:timers/promises'
import type { scheduler } from '@millrace/contracts'
import type { StreamHandler } from '@millrace/grpc'
import type { AppContext } from '../context.js'
import { findTask } from '../db/queries.js'
import { type RunStatus, runHasEnded } from '../domain/run-state.js'
import { readerProject, requireId } from './caller.js'
import { readRun } from './get-run.js'

/** What another replica changed is seen at this pace. */
const POLL_MS = 1000

/** A snapshot first, then every change; ends with the run. */
export function watchRun(
  ctx: AppContext,
): StreamHandler<scheduler.WatchRunRequest__Output, scheduler.WatchRunResponse> {
  return async function* (request, call) {
    const runId = requireId(request.runId, 'run_not_found')
    const projectId = readerProject(call, request.projectId)
    const wakeUp = new WakeUp()
    const unwatch = ctx.engine.watch.watch(runId, () => wakeUp.notify())
    const onAbort = () => wakeUp.notify()
    call.signal.addEventListener('abort', onAbort, { once: true })
    call.draining.addEventListener('abort', onAbort, { once: true })
    try {
      let seen = await readRun(ctx, runId, projectId)
      yield { snapshot: seen }
      while (!hasEnded(seen) && !call.signal.aborted && !call.draining.aborted) {
        await wakeUp.wait(POLL_MS)
        const now = await readRun(ctx, runId, projectId)
        for (const change of changes(seen, now)) yield await whole(ctx, projectId, change)
        seen = now
      }
    } finally {
      unwatch()
      call.signal.removeEventListener('abort', onAbort)
      call.draining.removeEventListener('abort', onAbort)
    }
  }
}

const hasEnded = (seen: scheduler.GetRunResponse): boolean => runHasEnded((seen.run?.status ?? '') as RunStatus)

/** Tasks before the run, so that a run's end is the last thing said. */
function* changes(
  before: scheduler.GetRunResponse,
  now: scheduler.GetRunResponse,
): Generator<scheduler.WatchRunResponse> {
  const seen = new Map(before.tasks?.map((task) => [task.id, stateOf(task)]))
  for (const task of now.tasks ?? []) if (seen.get(task.id) !== stateOf(task)) yield { task }
  if (now.run && before.run?.rev !== now.run.rev && runChanged(before.run, now.run)) yield { run: now.run }
}

const stateOf = (task: scheduler.Task): string => `${task.rev}/${task.progress?.number ?? 0}`

const runChanged = (before: scheduler.Run | null | undefined, now: scheduler.Run): boolean =>
  before?.status !== now.status || before?.reason !== now.reason || before?.generation !== now.generation

/** A change is told with its output, also where the run has more of them than one answer holds. */
async function whole(
  ctx: AppContext,
  projectId: string,
  change: scheduler.WatchRunResponse,
): Promise<scheduler.WatchRunResponse> {
  if (!change.task?.outputOmitted) return change
  const task = await findTask(ctx.pool, change.task.id ?? '', projectId)
  return task ? { task: { ...change.task, outputJson: task.output ?? '', outputOmitted: false } } : change
}

class WakeUp {
  private hinted = false
  private wake: (() => void) | null = null

  notify(): void {
    this.hinted = true
    this.wake?.()
  }

  async wait(ms: number): Promise<void> {
    if (!this.hinted) {
      const patience = new AbortController()
      const hinted = new Promise<void>((resolve) => {
        this.wake = resolve
      })
      await Promise.race([hinted, sleep(ms, undefined, { signal: patience.signal }).catch(() => undefined)])
      patience.abort()
      this.wake = null
    }
    this.hinted = false
  }
}
