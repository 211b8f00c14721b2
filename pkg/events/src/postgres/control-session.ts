import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from '@millrace/logger'
import pg from 'pg'

export const HINT_CHANNEL = 'millrace_events'

const pingEveryMs = 2_000
const answerWithinMs = 5_000

export interface ControlSessionOptions {
  connectionString: string
  logger: Logger
  onHint: (payload: string) => void
  /** Hints are heard from now on; those before were not. */
  onListening: () => void
}

/** What a lock was taken in: when the session is lost, so is every lock of it. */
export interface LockTerm {
  readonly isHeld: boolean
}

interface Session {
  client: pg.Client
  lost: boolean
  /** Queries wait for one another here; node-postgres wants one at a time of a client. */
  tail: Promise<unknown>
}

/**
 * One connection a process that listens for hints and holds the groups' advisory locks. The server notices a dead peer
 * within half a minute (keepalive), the client a dead server within seconds (ping).
 */
export class ControlSession {
  private session: Session | undefined
  private connecting: Promise<Session> | undefined
  private closed = false
  private readonly pinger: NodeJS.Timeout
  private listening: NodeJS.Timeout | undefined

  constructor(private readonly options: ControlSessionOptions) {
    this.pinger = setInterval(() => this.ping(), pingEveryMs)
    this.pinger.unref()
  }

  /** Whether hints are heard, as far as is known: a connection that died shows within seconds. */
  get isListening(): boolean {
    return this.session !== undefined
  }

  /** Connects without waiting for a lock to be asked for, and again whenever the connection was lost. */
  listen(): void {
    if (this.listening !== undefined) return
    const connect = () => this.connected().catch(() => undefined)
    void connect()
    this.listening = setInterval(() => void connect(), pingEveryMs)
    this.listening.unref()
  }

  /** The term of the group's lock, or undefined while another session has it. */
  async tryLock(group: string): Promise<LockTerm | undefined> {
    const session = await this.connected()
    const { rows } = await this.query<{ locked: boolean }>(
      session,
      `select pg_try_advisory_lock(hashtext('millrace.events'), hashtext($1)) as locked`,
      [group],
    )
    if (!rows[0]?.locked) return undefined
    return {
      get isHeld() {
        return !session.lost
      },
    }
  }

  async unlock(group: string): Promise<void> {
    if (this.session === undefined) return
    const sql = `select pg_advisory_unlock(hashtext('millrace.events'), hashtext($1))`
    // Losing the session gives the lock back as well.
    await this.query(this.session, sql, [group]).catch(() => undefined)
  }

  async close(): Promise<void> {
    this.closed = true
    clearInterval(this.pinger)
    clearInterval(this.listening)
    await this.connecting?.catch(() => undefined)
    const { session } = this
    this.session = undefined
    if (session !== undefined) await session.client.end().catch(() => undefined)
  }

  private async connected(): Promise<Session> {
    if (this.session !== undefined) return this.session
    if (this.closed) throw new Error('the event bus is closed')
    this.connecting ??= this.connect().finally(() => {
      this.connecting = undefined
    })
    return await this.connecting
  }

  private async connect(): Promise<Session> {
    const client = new pg.Client({
      connectionString: this.options.connectionString,
      application_name: 'millrace-events-control',
      connectionTimeoutMillis: answerWithinMs,
      keepAlive: true,
      options: '-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3',
    })
    const session: Session = { client, lost: false, tail: Promise.resolve() }
    client.on('error', () => this.lose(session))
    client.on('end', () => this.lose(session))
    client.on('notification', (message) => this.options.onHint(message.payload ?? ''))
    try {
      await client.connect()
      await client.query(`listen ${HINT_CHANNEL}`)
    } catch (error) {
      this.lose(session)
      throw error
    }
    this.session = session
    this.options.onListening()
    return session
  }

  private async query<R extends pg.QueryResultRow>(session: Session, text: string, values: unknown[]) {
    const result = session.tail.then(() => answered(session.client.query<R>(text, values)))
    session.tail = result.catch(() => undefined)
    try {
      return await result
    } catch (error) {
      this.lose(session)
      throw error
    }
  }

  private ping(): void {
    if (this.session !== undefined) this.query(this.session, 'select 1', []).catch(() => undefined)
  }

  private lose(session: Session): void {
    if (session.lost) return
    session.lost = true
    if (this.session === session) this.session = undefined
    if (!this.closed)
      this.options.logger.warn('the event bus lost its connection; its groups start over when it is back')
    session.client.end().catch(() => undefined)
  }
}

async function answered<T>(query: Promise<T>): Promise<T> {
  const timer = new AbortController()
  const timeout = delay(answerWithinMs, undefined, { signal: timer.signal }).then(() => {
    throw new Error(`no answer from the database within ${answerWithinMs} ms`)
  })
  try {
    return await Promise.race([query, timeout])
  } finally {
    timer.abort()
    timeout.catch(() => undefined)
  }
}
