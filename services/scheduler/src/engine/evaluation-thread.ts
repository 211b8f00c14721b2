import { compilePlan, type Definition } from '@millrace/definition'
import { serveTasks } from '@millrace/off-thread'
import { LRUCache } from 'lru-cache'
import { type EnginePlan, toEnginePlan } from '../domain/engine-plan.js'
import { type CostlyWork, evaluateAhead } from '../domain/evaluate-ahead.js'
import { withQueueDefaults } from '../domain/queue-defaults.js'

/** What the thread is given: everything that a decision depends on. */
export interface EvaluationTask {
  readonly versionId: string
  readonly definition: Definition
  readonly work: CostlyWork
}

const plans = new LRUCache<string, EnginePlan>({ max: 20 })

function planOf({ versionId, definition, work }: EvaluationTask): EnginePlan {
  const known = plans.get(versionId)
  const plan = known ?? toEnginePlan(compilePlan(definition))
  if (!known) plans.set(versionId, plan)
  const { queueDefaults } = work.state
  return queueDefaults === null ? plan : withQueueDefaults(plan, queueDefaults)
}

serveTasks((task) => evaluateAhead(planOf(task as EvaluationTask), (task as EvaluationTask).work))
