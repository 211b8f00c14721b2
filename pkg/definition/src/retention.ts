import { parseDuration } from './duration.js'

/** As it is written: `30d`; 0 for ever; or bounds by age and by number. */
export type Retention = string | 0 | { age?: string; runs?: number }

export interface RetentionRule {
  /** Null: nothing is said about it. 0: for ever. */
  keepMs: number | null
  /** Of each workflow, the newest. Null: nothing is said about it. 0: any number. */
  keepRuns: number | null
}

const forEver: RetentionRule = { keepMs: 0, keepRuns: 0 }
const unsaid: RetentionRule = { keepMs: null, keepRuns: null }

/** What cannot be read says nothing: nobody loses runs to a misunderstanding. */
export function parseRetention(value: unknown): RetentionRule {
  if (value === 0 || value === '0') return forEver
  if (typeof value === 'string') return { keepMs: ageOf(value), keepRuns: null }
  if (typeof value !== 'object' || value === null) return unsaid
  const { age, runs } = value as { age?: unknown; runs?: unknown }
  return {
    keepMs: typeof age === 'string' ? ageOf(age) : null,
    keepRuns: typeof runs === 'number' && Number.isSafeInteger(runs) && runs > 0 ? runs : null,
  }
}

/** As `retention.changed` carries it: JSON, empty where nothing is said. */
export function parseRetentionJson(text: string): RetentionRule {
  try {
    return parseRetention(JSON.parse(text))
  } catch {
    return unsaid
  }
}

/** `0s` is no time at all, not for ever: as a bound it would delete every run as it ends, which nobody means. */
function ageOf(text: string): number | null {
  const ms = parseDuration(text)
  return ms === undefined || ms === 0 ? null : ms
}
