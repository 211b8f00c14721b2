import { type Plan, type PlanChild, type PlanTask, type Scope, type Template, templatesOf } from '@millrace/definition'

export interface EnginePlanTask extends Omit<PlanTask, 'child'> {
  /** `with` as JSON text when it has no expressions: the same for every run of the version. */
  readonly staticInput: string | null
  readonly child?: EnginePlanChild
}

export interface EnginePlanChild extends PlanChild {
  readonly staticInput: string | null
}

/** A compiled definition with what the engine asks of it often. */
export interface EnginePlan extends Omit<Plan, 'tasks'> {
  readonly tasks: readonly EnginePlanTask[]
  /** Tasks whose output some expression names: only these outputs are kept with a run's state. */
  readonly namedOutputs: ReadonlySet<number>
  readonly hasSignals: boolean
  /** Tasks that may have to wait for a limit of their own, and maps whose items may. */
  readonly limitedTasks: ReadonlySet<number>
}

const noScope: Scope = { input: null, tasks: {}, run: {}, task: {} }

export function toEnginePlan(plan: Plan): EnginePlan {
  const templates: (Template | undefined)[] = [plan.output, ...plan.tasks.flatMap(templatesOf)]
  const named = new Set<number>()
  for (const key of templates.flatMap((template) => template?.references.tasks ?? [])) {
    const index = plan.byKey.get(key)
    if (index !== undefined) named.add(index)
  }
  const tasks = plan.tasks.map(({ child, ...task }) => ({
    ...task,
    staticInput: staticInput(task.with),
    ...(child ? { child: { ...child, staticInput: staticInput(child.with) } } : {}),
  }))
  return {
    ...plan,
    tasks,
    namedOutputs: named,
    hasSignals: tasks.some((task) => task.uses === 'signal'),
    limitedTasks: new Set(tasks.filter(({ limits, child }) => limits ?? child?.limits).map(({ index }) => index)),
  }
}

const staticInput = (template: Template): string | null =>
  template.hasExpressions ? null : JSON.stringify(template.evaluate(noScope) ?? null)
