import type { Logger } from '@millrace/logger'
import type { DueWork } from '../db/due-work.js'
import type { Control } from './control.js'
import type { Dispatcher } from './dispatcher.js'
import type { Environment } from './environment.js'
import { Loop } from './loop.js'
import type { Reaper } from './reaper.js'
import type { DueWorkStore } from './store.js'
import { TIMER_HORIZON_MS } from './timers.js'

const POLL_MS = 250
/** After a look that found nothing. */
const QUIET_POLL_MS = 500

type Poked = Pick<Loop, 'poke'>

/** The loops that wait for what the rows say, by what wakes them. */
export interface DueWorkLoops {
  readonly timers: Poked
  readonly deferred: Poked
  readonly reaper: Pick<Reaper, 'found'>
  readonly maps: Poked
  readonly inbox: Poked
  readonly limits: Poked
  readonly dispatcher: Pick<Dispatcher, 'found'>
  readonly control: Pick<Control, 'found'>
}

export interface DueWorkOptions {
  readonly store: DueWorkStore
  /** How often waiting workers look into the queue without having been told. */
  readonly pollMs: number
  readonly loops: DueWorkLoops
  readonly env: Environment
  readonly logger: Logger
}

/**
 * Asks for all loops at once whether there is anything for them, whoever left it there: another replica, a crash, a lost
 * hint. They have slow polls of their own besides, so that none depends on this one.
 */
export class DueWorkPoll extends Loop {
  private isQuiet = false

  constructor(private readonly options: DueWorkOptions) {
    const { pollMs, logger, env } = options
    super({ name: 'due-work', everyMs: Math.min(POLL_MS, pollMs), logger, env })
  }

  protected override async turn(): Promise<void> {
    const { version, ...due } = await this.options.store.findDueWork(TIMER_HORIZON_MS)
    this.isQuiet = !Object.values(due).includes(true)
    wake({ version, ...due }, this.options.loops)
  }

  protected override everyMs(): number {
    return this.isQuiet ? Math.min(QUIET_POLL_MS, 2 * this.options.pollMs) : super.everyMs()
  }
}

function wake(due: DueWork, loops: DueWorkLoops): void {
  if (due.timers) loops.timers.poke()
  if (due.deferred) loops.deferred.poke()
  if (due.leases) loops.reaper.found()
  if (due.maps) loops.maps.poke()
  if (due.inbox) loops.inbox.poke()
  if (due.waiting) loops.limits.poke()
  if (due.plain || due.limited) loops.dispatcher.found(due.limited)
  loops.control.found(due.version, due.cancelling)
}
