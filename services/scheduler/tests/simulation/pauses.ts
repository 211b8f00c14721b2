import { projects, queues } from './definitions.js'
import type { Simulation } from './simulation.js'

export const queueName = (projectId: string, name: string): string => `${projectId}/${name}`

/** How long a replica may not have heard of a pause: while hints arrive, and where it may also stand still for 8 s. */
const HEARD_MS = 500
const HEARD_UNDER_FAULTS_MS = 10_000

/**
 * Since when queues, and sessions of workers, are to get nothing. A pause is in force on a replica once it has heard of it:
 * by the hint of the change, or by its next poll. Whoever stood still meanwhile may still write what it had decided.
 */
export class Pauses {
  private readonly since = new Map<string, number>()
  constructor(
    private readonly world: { readonly now: number },
    private readonly isFaultFree: () => boolean,
  ) {}

  set(name: string, paused: boolean): void {
    if (!paused) this.since.delete(name)
    else if (!this.since.has(name)) this.since.set(name, this.world.now)
  }

  /** What is wrong with a lease from this queue or for this session now, if anything. */
  leasedFrom(name: string): string | null {
    const since = this.since.get(name)
    if (since === undefined) return null
    const ms = this.world.now - since
    return ms > (this.isFaultFree() ? HEARD_MS : HEARD_UNDER_FAULTS_MS)
      ? `was leased ${Math.round(ms)} ms after ${name} was paused`
      : null
  }
}

/** Queues and workers are paused all the time, as no history of chance has it: for two seconds each, one after another. */
export function pauseOften(simulation: Simulation): void {
  const { world, users, database } = simulation
  const often = (everyMs: number, pause: () => void) => {
    const next = () =>
      world.after(everyMs, null, '', () => {
        if (simulation.isCalm) return
        pause()
        next()
      })
    next()
  }
  often(300, () => {
    const [project, queue] = [world.chance.pick(projects), world.chance.pick(queues)]
    users.setQueue(project, queue, { paused: true })
    world.after(2000, null, '', () => users.setQueue(project, queue, { paused: false }))
  })
  often(700, () => {
    const active = [...database.live.all('sessions')].filter(({ state }) => state === 'active')
    const { id } = active.length > 0 ? world.chance.pick(active) : { id: null }
    if (id === null) return
    users.setWorker(id, 'paused')
    world.after(2000, null, '', () => users.setWorker(id, 'active'))
  })
}
