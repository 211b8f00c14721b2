import type { StandaloneConfig } from '../config.js'
import { StartupError } from './startup-error.js'
import { Supervisor } from './supervisor.js'
import type { Terminal } from './terminal.js'

// make passes SIGTERM on to its recipe: a signal to the whole group arrives twice, and means it once.
const echoMs = 1_000

/** Runs until told to stop or until something cannot be mended; resolves with the exit code. */
export async function runSupervisor(config: StandaloneConfig, terminal: Terminal): Promise<number> {
  const supervisor = new Supervisor(config, terminal)
  const asked = onSignals(
    () => terminal.line('Stopping…'),
    () => {
      terminal.error('Stopping at once.')
      void supervisor.kill().finally(() => process.exit(1))
    },
  )
  let verdict = 'Millrace did not start'
  const broken = supervisor.start().then(
    () => {
      verdict = 'Millrace stopped'
      return supervisor.failed.then((why) => new StartupError(why))
    },
    (error: unknown) => error,
  )
  const end = await Promise.race([asked, broken, uncaught()])
  await supervisor.stop()
  if (end === 'asked') return 0
  terminal.error(`${verdict}. ${describe(end)}`)
  return 1
}

function describe(error: unknown): string {
  if (error instanceof StartupError) return error.message
  return `This is a defect: ${error instanceof Error ? error.stack : String(error)}`
}

function uncaught(): Promise<unknown> {
  // A closed terminal is no reason to stop.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)
  return new Promise((resolve) => {
    process.on('uncaughtException', resolve)
    process.on('unhandledRejection', resolve)
  })
}

export function onSignals(first: () => void, again: () => void): Promise<'asked'> {
  return new Promise((resolve) => {
    let firstAt = 0
    const handle = () => {
      if (firstAt === 0) {
        firstAt = Date.now()
        first()
        resolve('asked')
      } else if (Date.now() - firstAt > echoMs) {
        again()
      }
    }
    process.on('SIGTERM', handle)
    process.on('SIGINT', handle)
    process.on('SIGHUP', handle)
  })
}
