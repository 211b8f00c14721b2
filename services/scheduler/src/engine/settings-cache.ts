import type { Logger } from '@millrace/logger'
import type { ControlState, QueueSettings } from '../db/control.js'
import type { EnginePlan } from '../domain/engine-plan.js'
import { limitsOfQueue, type TaskLimit } from '../domain/limits/task-limits.js'
import { defaultsForNewRun } from '../domain/queue-defaults.js'
import type { Environment } from './environment.js'
import { COMMON_SHARE, type QueueShare } from './fair-share.js'
import { Loop, SAFETY_POLL_MS } from './loop.js'

/** The state of a session: whether it may have leases. */
export type SessionState = 'active' | 'paused' | 'draining' | 'ended'

export interface SettingsCacheOptions {
  /** Undefined when nothing changed since that version. */
  read: (knownVersion: number) => Promise<ControlState | undefined>
  /** Of queues that have no profile of their own: ready tasks go straight to workers that wait. */
  syncMatch: boolean
  onChange: (sessions: ReadonlyMap<string, SessionState>) => void
  env: Environment
  logger: Logger
}

const hasLimits = ({ concurrency, rate_limit: rate }: QueueSettings): boolean => concurrency !== null || rate !== null

const keyOf = (projectId: string, queue: string): string => `${projectId}/${queue}`

/**
 * Settings of queues and pauses of workers as this replica knows them. The lease statement reads pauses from the rows;
 * what is decided in memory goes by this, which is a poll's pace behind at most.
 */
export class SettingsCache extends Loop {
  private version = 0
  private queues = new Map<string, QueueSettings>()
  /** Projects that have weighted queues. */
  private weighted = new Set<string>()
  private sessions = new Map<string, SessionState>()

  constructor(private readonly options: SettingsCacheOptions) {
    super({ name: 'settings', everyMs: SAFETY_POLL_MS, logger: options.logger, env: options.env })
  }

  protected override turn(): Promise<void> {
    return this.refresh()
  }

  /** The settings have this version now. */
  found(version: number): void {
    if (version !== this.version) this.poke()
  }

  stateOf(sessionId: string): SessionState {
    return this.sessions.get(sessionId) ?? 'active'
  }

  /** Sessions that ended a moment ago, on whichever replica. */
  endedSessions(): string[] {
    return [...this.sessions].flatMap(([id, state]) => (state === 'ended' ? [id] : []))
  }

  queue(projectId: string, name: string): QueueSettings | undefined {
    return this.queues.size === 0 ? undefined : this.queues.get(keyOf(projectId, name))
  }

  /** Whether a ready task of this queue may go straight to a worker that waits, past the queue. */
  mayMatch(projectId: string, name: string): boolean {
    const settings = this.queue(projectId, name)
    if (settings?.paused || (settings && hasLimits(settings))) return false
    return settings?.profile ? settings.profile === 'latency' : this.options.syncMatch
  }

  get isEmpty(): boolean {
    return this.queues.size === 0
  }

  /** Limits of whole queues. */
  limits(): { projectId: string; queue: string; limits: TaskLimit[] }[] {
    return [...this.queues.values()].map(({ project_id: projectId, name: queue, concurrency, ...rest }) => {
      const settings = { concurrency, rateLimit: rest.rate_limit, ratePerMs: rest.rate_per_ms }
      return { projectId, queue, limits: limitsOfQueue(queue, settings) }
    })
  }

  /** What a run that is created now gets from its queues. */
  defaultsForNewRun(projectId: string, plan: EnginePlan): string | null {
    if (this.queues.size === 0) return null
    return defaultsForNewRun(plan, (name) => this.queue(projectId, name)?.defaults)
  }

  shareOf(projectId: string, name: string): QueueShare | undefined {
    if (!this.weighted.has(projectId)) return undefined
    const weight = this.queue(projectId, name)?.weight
    return weight == null ? { key: COMMON_SHARE, weight: 1 } : { key: name, weight }
  }

  /** Reads what is new. Also after a change made here, so that its caller finds it in force. */
  async refresh(): Promise<void> {
    const state = await this.options.read(this.version)
    // Two reads may overtake each other; the newer one counts.
    if (!state || state.version < this.version) return
    this.version = state.version
    this.queues = new Map(state.queues.map((row) => [keyOf(row.project_id, row.name), row]))
    this.weighted = new Set(state.queues.filter((row) => row.weight !== null).map((row) => row.project_id))
    this.sessions = new Map(state.sessions.map(({ id, state }) => [id, state]))
    this.options.onChange(this.sessions)
  }
}
