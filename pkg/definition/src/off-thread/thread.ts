import { serveTasks } from '@millrace/off-thread'
import { LRUCache } from 'lru-cache'
import { evaluateAlone } from '../expression/evaluate-alone.js'
import { toPointer } from '../field-path.js'
import { limits } from '../limits.js'
import { parseDefinition } from '../parse.js'
import { checkInputSchema, compileInputSchema, type InputValidator } from '../schema/input-schema.js'
import { validateDefinition } from '../validate.js'
import type { CheckedDefinition, CheckTask } from './tasks.js'

const validators = new LRUCache<string, InputValidator>({ max: 50 })

function validatorOf(schema: unknown): InputValidator {
  const key = JSON.stringify(schema)
  const known = validators.get(key)
  if (known !== undefined) return known
  const made = compileInputSchema(schema)
  validators.set(key, made)
  return made
}

function checkText({ text, contentType }: Extract<CheckTask, { kind: 'check-text' }>): CheckedDefinition {
  const parsed = parseDefinition(text, contentType)
  if (parsed.value === undefined) {
    const isJson = contentType === 'application/json'
    return { errors: parsed.errors, isMalformed: isJson && parsed.errors.some(({ code }) => code === 'malformed') }
  }
  const { errors, definition, graph } = validateDefinition(parsed.value, { positions: parsed.positions })
  const all = [...parsed.errors, ...errors].slice(0, limits.errors)
  return {
    errors: all,
    isMalformed: false,
    ...(graph === undefined ? {} : { graph }),
    ...(definition === undefined || all.length > 0 ? {} : { definition }),
  }
}

function handle(task: CheckTask): unknown {
  switch (task.kind) {
    case 'warm-up':
      return null
    case 'check-text':
      return checkText(task)
    case 'check-value':
      return { ...validateDefinition(task.value), isMalformed: false } satisfies CheckedDefinition
    case 'check-schema':
      return checkInputSchema(task.schema).map((problem) => ({ ...problem, path: toPointer(problem.path) }))
    case 'evaluate':
      return evaluateAlone(task)
    case 'check-input':
      return validatorOf(task.schema)(task.input)
  }
}

serveTasks((task) => handle(task as CheckTask))
