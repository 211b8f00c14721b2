import type { Plan } from '@millrace/definition'
import { type AppError, unprocessable } from '@millrace/errors'

export interface RerunFrom {
  from: string
  /** -1 = not one child of a map. */
  index: number
}

const refuse = (code: string, message: string): AppError =>
  unprocessable('invalid_request', `The run cannot begin there: ${message}.`, [{ path: '/from', code, message }])

export const unknownChild = (): AppError => refuse('unknown_task', 'the run had no such child of that map')

const shape = /^([A-Za-z_][A-Za-z0-9_-]{0,62})(?:\[(\d{1,6})\])?$/

/** `key`, or `key[index]` for one child of a map. */
export function parseRerunFrom(text: string | undefined, plan: Pick<Plan, 'byKey' | 'tasks'>): RerunFrom {
  if (text === undefined) return { from: '', index: -1 }
  const [, key = '', index] = shape.exec(text) ?? []
  const task = plan.tasks[plan.byKey.get(key) ?? -1]
  if (task === undefined) throw refuse('unknown_task', 'the version has no such task')
  if (index === undefined) return { from: key, index: -1 }
  if (task.uses !== 'map') throw refuse('not_a_map', 'only a map has children')
  return { from: key, index: Number(index) }
}
