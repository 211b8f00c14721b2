import { createHash } from 'node:crypto'

/** The same for every execution of one task in one generation of a run, so that a repeat can be recognised outside. */
export function idempotencyKey(runId: string, key: string, index: number, generation: number): string {
  return createHash('sha256').update(`${runId}\0${key}\0${index}\0${generation}`).digest('hex').slice(0, 32)
}
