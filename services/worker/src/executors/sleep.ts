import { setTimeout as delay } from 'node:timers/promises'
import { parseDuration } from '@millrace/definition/duration'
import { invalidInput } from '../execution/execution-failure.js'
import type { Executor } from './executor.js'
import { inputObject, requiredString } from './input.js'

/** Longer timers overflow and fire at once. */
const longestTimerMs = 2 ** 31 - 1

export const sleep: Executor = {
  uses: 'sleep',
  async execute({ input, signal }) {
    const durationMs = parseDuration(requiredString(inputObject(input), 'duration'))
    if (durationMs === undefined) throw invalidInput('`duration` must be like 500ms, 30s, 5m, 1h, 2d or ISO 8601')
    const startedAt = performance.now()
    for (let leftMs = durationMs; leftMs > 0; leftMs = durationMs - (performance.now() - startedAt)) {
      await delay(Math.min(Math.ceil(leftMs), longestTimerMs), undefined, { signal })
    }
    return { sleptMs: Math.round(performance.now() - startedAt) }
  },
}
