import { errorClasses, isErrorClass } from '@millrace/definition/error-class'
import { ExecutionFailure, invalidInput } from '../execution/execution-failure.js'
import type { Executor } from './executor.js'
import { field, inputObject, optionalInteger, optionalString } from './input.js'

export const fail: Executor = {
  uses: 'fail',
  execute({ input, attempt }) {
    const given = inputObject(input)
    const times = optionalInteger(given, 'times', { min: 0, max: Number.MAX_SAFE_INTEGER })
    const message = optionalString(given, 'message') ?? 'Failed as asked'
    const errorClass = field(given, 'class') ?? 'user'
    if (!isErrorClass(errorClass)) throw invalidInput(`\`class\` must be one of ${errorClasses.join(', ')}`)
    if (times !== undefined && attempt > times) return { attempt }
    throw new ExecutionFailure(message, { class: errorClass, code: 'failed_as_asked' })
  },
}
