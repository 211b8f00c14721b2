import { counter } from './metrics.js'

/** Counted by a supervisor; shown by the process that took the place. Where nobody counts it is not there. */
export function recordHangs(count: number): void {
  counter({
    name: 'process_hangs_total',
    help: 'Times that a process of this kind was ended because it gave no sign of life',
  }).inc({}, count)
}
