import type { Chance } from './chance.js'

/** What may go wrong in one seed, each as a probability or a rate a second. All zero: nothing does. */
export interface Faults {
  /** A statement fails before it did anything. */
  failBefore: number
  /** A statement is done, and its answer is lost. */
  failAfter: number
  /** A statement takes long. */
  slowStatement: number
  /** A statement works on a snapshot older than its locks. */
  oldSnapshot: number
  /** Of a message between a worker and a scheduler. */
  loseMessage: number
  duplicateMessage: number
  lateMessage: number
  loseHeartbeat: number
  lateReport: number
  staleReport: number
  handBack: number
  duplicateStart: number
  lateStart: number
  versionUnavailable: number
  /** A second. */
  replicaCrash: number
  replicaFreeze: number
  workerCrash: number
  workerFreeze: number
  clockJump: number
  userAction: number
}

const ceilings: Faults = {
  failBefore: 0.08,
  failAfter: 0.08,
  slowStatement: 0.1,
  oldSnapshot: 0.5,
  loseMessage: 0.15,
  duplicateMessage: 0.2,
  lateMessage: 0.2,
  loseHeartbeat: 0.7,
  lateReport: 0.3,
  staleReport: 0.4,
  handBack: 0.2,
  duplicateStart: 0.9,
  lateStart: 0.5,
  versionUnavailable: 0.3,
  replicaCrash: 0.5,
  replicaFreeze: 0.4,
  workerCrash: 0.5,
  workerFreeze: 0.5,
  clockJump: 0.4,
  userAction: 3,
}

export const noFaults: Faults = Object.fromEntries(Object.keys(ceilings).map((name) => [name, 0])) as unknown as Faults

/** Each seed has its own mixture: some faults only show where others do not drown them. */
export function chooseFaults(chance: Chance): { faults: Faults; faultFree: boolean } {
  if (chance.bool(0.12)) return { faults: { ...noFaults, userAction: chance.pick([0, 1, 3]) }, faultFree: true }
  const names = Object.keys(ceilings) as (keyof Faults)[]
  const share = chance.pick([0.15, 0.4, 0.7])
  const chosen = names.map((name) => [name, chance.bool(share) ? ceilings[name] * chance.real() : 0] as const)
  const faults = Object.fromEntries(chosen) as unknown as Faults
  // What users do is no fault; most seeds have some of it.
  if (chance.bool(0.7)) faults.userAction = chance.between(0.5, ceilings.userAction)
  return { faults, faultFree: false }
}
