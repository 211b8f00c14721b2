import { crashSuite } from './crash-suite.js'
import { casesOf } from './points.js'

/** CHAOS_SEEDS: how many; CHAOS_SEED: the first; CHAOS_POINTS: a pattern of names; CHAOS_RECORD: a file for outcomes. */
const first = Number(process.env.CHAOS_SEED ?? 1)
const seeds = Array.from({ length: Number(process.env.CHAOS_SEEDS ?? 3) }, (_, n) => first + n)

crashSuite({
  cases: casesOf(seeds, new RegExp(process.env.CHAOS_POINTS ?? '')),
  each: 2,
  record: process.env.CHAOS_RECORD,
})
