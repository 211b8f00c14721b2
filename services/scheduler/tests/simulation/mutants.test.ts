import { describe, expect, test } from 'vitest'
import { mutants } from './mutants.js'
import { runSeeds } from './run-seeds.js'

/** Far more than any of them needs. */
const ENOUGH_SEEDS = 400

describe('a mistake made on purpose is found', () => {
  for (const [name, tamper] of Object.entries(mutants)) {
    test(name, { timeout: 300_000 }, async () => {
      const { seeds, failed } = await runSeeds(1, ENOUGH_SEEDS, { tamper, stopAt: 1 })
      if (process.env.SHOW_MUTANTS) process.stdout.write(`${name}: ${seeds} seeds: ${failed[0]?.violations[0]}\n`)
      expect(failed).toHaveLength(1)
    })
  }
})
