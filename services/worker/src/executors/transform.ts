import { invalidInput } from '../execution/execution-failure.js'
import type { Executor } from './executor.js'
import { inputObject } from './input.js'

/** Its expressions were evaluated before the lease was granted. */
export const transform: Executor = {
  uses: 'transform',
  execute({ input }) {
    const given = inputObject(input)
    if (!Object.hasOwn(given, 'value')) throw invalidInput('`value` is required')
    return given.value
  },
}
