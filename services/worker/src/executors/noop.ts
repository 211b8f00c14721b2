import type { Executor } from './executor.js'
import { field, inputObject } from './input.js'

export const noop: Executor = {
  uses: 'noop',
  execute: ({ input }) => field(inputObject(input), 'output') ?? null,
}
