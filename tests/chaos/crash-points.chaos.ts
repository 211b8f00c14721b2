import { crashSuite } from './crash-suite.js'
import { casesOf } from './points.js'

/**
 * CHAOS_SEEDS: how many; CHAOS_SEED: the first; CHAOS_POINTS: a pattern of names; CHAOS_TOGETHER: how many processes die
 * in one load; CHAOS_EACH: runs of each kind in it; CHAOS_RECORD: a file for outcomes; CHAOS_LOGS: a folder for what is
 * known of failures.
 */
const first = Number(process.env.CHAOS_SEED ?? 1)
const seeds = Array.from({ length: Number(process.env.CHAOS_SEEDS ?? 3) }, (_, n) => first + n)

crashSuite({
  cases: casesOf(seeds, new RegExp(process.env.CHAOS_POINTS ?? '')),
  each: Number(process.env.CHAOS_EACH ?? 2),
  together: Number(process.env.CHAOS_TOGETHER ?? 4),
})
