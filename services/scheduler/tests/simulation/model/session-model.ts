import { type CancelledLease, type ControlState, ENDED_SHOWN_S, type HeldSession } from '../../../src/db/control.js'
import type { HeldRow, HoldTerms, Liveness, NewSession, SessionRow } from '../../../src/db/sessions.js'
import { micro, type Statement } from './statement.js'
import type { SessionTuple } from './tables.js'

const raiseControl = (s: Statement): void => {
  s.live.control += 1
}

export function insertSession(s: Statement, session: NewSession, leaseMs: number): void {
  const { id, secretHash, projectId, workerId, name, executors, queues, concurrency, sdk, version, state, owner } =
    session
  if (state !== 'active') raiseControl(s)
  s.live.put('sessions', id, {
    id,
    secret_hash: secretHash.toString('hex'),
    project_id: projectId,
    worker_id: workerId,
    name,
    executors,
    queues,
    concurrency,
    sdk,
    version,
    state,
    until: micro(s.now + leaseMs),
    created_at: s.now,
    seen_at: s.now,
    ended_at: null,
    lost: false,
    owner,
  })
}

export function findSession(s: Statement, id: string): SessionRow | undefined {
  const session = s.seen.get('sessions', id)
  if (!session || session.state === 'ended') return undefined
  const { secret_hash, project_id, worker_id, name, executors, queues, concurrency, state, owner } = session
  const lists = { executors: [...executors], queues: [...queues] }
  const secret = Buffer.from(secret_hash, 'hex')
  return { id, secret_hash: secret, project_id, worker_id, name, ...lists, concurrency, state, owner }
}

export function extendSession(s: Statement, id: string, leaseMs: number): boolean {
  const session = s.reach('sessions', id)
  if (!session || session.state === 'ended') return false
  s.live.put('sessions', id, { ...session, until: micro(s.now + leaseMs), seen_at: s.now })
  return true
}

export const listHeld = (s: Statement, sessionId: string): HeldRow[] =>
  [...s.seen.all('tasks')]
    .filter((task) => task.session_id === sessionId && task.status === 'running')
    .map(({ id, lease_id, token }) => ({ task_id: id, lease_id: lease_id ?? '', token }))

export function recordLiveness(
  s: Statement,
  gapMs: number,
  leaseMs: number,
  hold: HoldTerms = { nowMs: 0, onGapMs: 0 },
): Liveness {
  const gap = s.now - s.live.pulse > gapMs
  s.live.holdUntil = Math.max(s.live.holdUntil, micro(s.now + Math.max(hold.nowMs, gap ? hold.onGapMs : 0)))
  const held = s.live.holdUntil > s.now
  const ended: string[] = []
  const live = s.reachAll(
    'sessions',
    ({ state }) => state !== 'ended',
    ({ id }) => id,
  )
  for (const session of live) {
    if (gap || held) {
      s.live.put('sessions', session.id, { ...session, until: Math.max(session.until, micro(s.now + leaseMs)) })
    } else if (session.until < s.now) {
      const lost = session.state !== 'draining' || listHeld(s, session.id).length > 0
      s.live.put('sessions', session.id, { ...session, state: 'ended', ended_at: s.now, lost })
      ended.push(session.id)
    }
  }
  s.live.pulse = s.now
  return { gap, held, ended }
}

export function readControl(s: Statement, known: number): ControlState | undefined {
  if (s.seen.control === known) return undefined
  const isHeld = ({ state, ended_at }: SessionTuple) =>
    state === 'ended' ? (ended_at ?? 0) > s.now - ENDED_SHOWN_S * 1000 : state !== 'active'
  return {
    version: s.seen.control,
    queues: [...s.seen.all('queues')].map(({ updated_at: _at, ...queue }) => ({
      ...queue,
      defaults: queue.defaults === null ? null : JSON.parse(queue.defaults),
    })),
    sessions: [...s.seen.all('sessions')]
      .filter(isHeld)
      .map(({ id, state }) => ({ id, state: state as HeldSession['state'] })),
  }
}

export function findCancelledLeases(s: Statement, sessionIds: readonly string[], limit: number): CancelledLease[] {
  return [...s.seen.all('tasks')]
    .filter(({ status, session_id }) => status === 'running' && session_id !== null && sessionIds.includes(session_id))
    .filter(({ key }) => !key.endsWith('.compensate'))
    .flatMap(({ run_id, session_id, id: task_id, lease_id }) => {
      const run = s.seen.get('runs', run_id)
      if (run?.status !== 'cancelling') return []
      return [{ session_id: session_id ?? '', task_id, lease_id: lease_id ?? '', reason: run.reason }]
    })
    .slice(0, limit)
}

export function setSessionState(s: Statement, id: string, to: 'active' | 'paused' | 'draining'): boolean {
  const session = s.reach('sessions', id)
  if (!session || !(session.state === to || session.state === 'active' || session.state === 'paused')) return false
  s.live.put('sessions', id, { ...session, state: to })
  raiseControl(s)
  return true
}

export function endSession(s: Statement, id: string): void {
  const session = s.reach('sessions', id)
  if (!session || session.state === 'ended') return
  s.live.put('sessions', id, { ...session, state: 'ended', ended_at: s.now })
  raiseControl(s)
}
