import type { scheduler } from '@millrace/contracts'
import { counter, gauge, histogram } from '@millrace/telemetry'

export const runningTasks = gauge({ name: 'millrace_worker_running_tasks', help: 'Executions under way' })

export const executedTotal = counter({
  name: 'millrace_worker_executed_total',
  help: 'Executions that ended, by executor, outcome and error class',
  labelNames: ['uses', 'outcome', 'class'],
})

export const reportSeconds = histogram({
  name: 'millrace_worker_report_seconds',
  help: 'Time for one call that reports results',
})

export const resultsTotal = counter({
  name: 'millrace_worker_results_total',
  help: 'Results handed over, by transport: kafka (published to the broker) or grpc (reported to the scheduler)',
  labelNames: ['via'],
})

export const staleTotal = counter({
  name: 'millrace_worker_stale_results_total',
  help: 'Results that changed nothing because their lease had been fenced',
})

export const logDropsTotal = counter({
  name: 'millrace_worker_log_drops_total',
  help: 'Log lines given up because the log store was out of reach or refused them',
})

export const abandonedTotal = counter({
  name: 'millrace_worker_abandoned_executions_total',
  help: 'Executions that did not stop when told to, and whose slot was taken back',
})

export const circuitsOpen = gauge({
  name: 'millrace_worker_circuits_open',
  help: 'Peers that are not called because calls to them failed',
  labelNames: ['uses'],
})

export const circuitTotal = counter({
  name: 'millrace_worker_circuit_events_total',
  help: 'What circuits did: opened, reopened after a probe, closed, refused a call',
  labelNames: ['uses', 'event'],
})

const outcomes: Readonly<Record<string, string>> = {
  OUTCOME_SUCCEEDED: 'succeeded',
  OUTCOME_FAILED: 'failed',
  OUTCOME_HANDED_BACK: 'handed_back',
}

/** `uses` of a lease that no executor serves comes from outside and is not a label. */
export function countEnd(uses: string, result: scheduler.TaskResult | undefined): void {
  const outcome = result ? (outcomes[String(result.outcome)] ?? 'unknown') : 'lost'
  const unknown = result?.error?.code === 'executor_unknown'
  executedTotal.inc({ uses: unknown ? 'unknown' : uses, outcome, class: result?.error?.class ?? '' })
}
