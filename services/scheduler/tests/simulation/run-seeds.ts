import { type SimulationOptions, type SimulationResult, simulate } from './simulation.js'

export interface SeedsSummary {
  readonly seeds: number
  readonly faultFree: number
  readonly steps: number
  readonly virtualMs: number
  readonly cpuMs: number
  readonly counts: Record<string, number>
  /** The first few that broke something. */
  readonly failed: readonly SimulationResult[]
}

const KEEP = 5

/** Plays seeds one after another; stops early when asked to, or when enough have failed. */
export async function runSeeds(
  from: number,
  count: number,
  more: Omit<SimulationOptions, 'seed'> & {
    stopAt?: number
    progress?: (done: number, result: SimulationResult) => void
  } = {},
): Promise<SeedsSummary> {
  const { stopAt = KEEP, progress, ...options } = more
  const began = process.cpuUsage()
  const total = { seeds: 0, faultFree: 0, steps: 0, virtualMs: 0 }
  const counts: Record<string, number> = {}
  const failed: SimulationResult[] = []
  for (let seed = from; seed < from + count && failed.length < stopAt; seed += 1) {
    const result = await simulate({ ...options, seed })
    total.seeds += 1
    total.faultFree += result.faultFree ? 1 : 0
    total.steps += result.steps
    total.virtualMs += result.virtualMs
    for (const [what, n] of Object.entries(result.counts)) counts[what] = (counts[what] ?? 0) + n
    if (result.violations.length > 0) failed.push(result)
    progress?.(total.seeds, result)
  }
  const { user, system } = process.cpuUsage(began)
  return { ...total, cpuMs: (user + system) / 1000, counts, failed }
}

/** How to see it again. */
export const describeFailure = ({ seed, violations }: SimulationResult): string =>
  `make sim SEED=${seed}\n${violations.map((violation) => `  ${violation}`).join('\n')}`
