import { metricsText, recordHangs } from '@millrace/telemetry'
import type { FromChild, ToChild } from './messages.js'

export interface ChildService {
  start(): Promise<void>
  /** Stops taking new work from outside while everything else goes on. */
  drain(): Promise<void>
  stop(): Promise<void>
  workerDied?(sessionId: string): Promise<void>
}

const orphanGraceMs = 3_000

/**
 * The frame of every child process. Its life hangs on the channel to the supervisor: when that closes, however the
 * supervisor ended, the child stops too. A Ctrl-C in the terminal is the supervisor's to handle. A service that is done
 * calls `end`.
 */
export function runChild<S>(
  create: (settings: S, end: () => void, tell: (message: FromChild) => void) => ChildService,
): void {
  let service: ChildService | undefined
  let ending: Promise<void> | undefined

  const end = (code: number, graceMs?: number): Promise<void> => {
    ending ??= stopThenExit(service, code, graceMs)
    return ending
  }
  const fail = (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`)
    tell({ kind: 'failed', message: describe(error) }, () => process.exit(1))
  }

  process.on('SIGINT', () => undefined)
  process.on('SIGTERM', () => void end(0))
  process.on('uncaughtException', fail)
  process.on('unhandledRejection', fail)
  process.on('disconnect', () => void end(1, orphanGraceMs))
  process.on('message', (message: ToChild) => {
    if (message.kind === 'ping') tell({ kind: 'pong' })
    else if (message.kind === 'start') {
      recordHangs(message.hangs)
      service = create(message.settings as S, () => void end(0), tell)
      service.start().then(() => tell({ kind: 'started' }), fail)
    } else if (message.kind === 'measure') {
      void metricsText().then((metrics) => tell({ kind: 'measured', metrics }))
    } else if (message.kind === 'drain') {
      Promise.resolve(service?.drain()).then(() => tell({ kind: 'drained' }), fail)
    } else if (message.kind === 'worker-died') {
      // Its session ends by its silence all the same, only later.
      service?.workerDied?.(message.sessionId).catch(() => undefined)
    } else {
      void end(0)
    }
  })
  tell({ kind: 'hello' })
}

async function stopThenExit(service: ChildService | undefined, code: number, graceMs?: number): Promise<void> {
  if (graceMs !== undefined) setTimeout(() => process.exit(code), graceMs)
  try {
    await service?.stop()
    process.exit(code)
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`)
    process.exit(1)
  }
}

function tell(message: FromChild, then: () => void = () => undefined): void {
  if (process.connected) process.send?.(message, then)
  else then()
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const cause = error.cause instanceof Error ? `: ${error.cause.message}` : ''
  return `${error.message}${cause}`
}
