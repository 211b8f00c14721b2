import { appendFileSync } from 'node:fs'

/** Outcomes are noted where CHAOS_RECORD says, a line of JSON each. */
export function note(outcome: object): void {
  const file = process.env.CHAOS_RECORD
  if (file) appendFileSync(file, `${JSON.stringify({ at: new Date().toISOString(), ...outcome })}\n`)
}
