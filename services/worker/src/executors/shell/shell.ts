import { tmpdir } from 'node:os'
import type { Logger } from '@millrace/logger'
import type { Artifacts } from '../../clients/artifacts.js'
import { ExecutionFailure } from '../../execution/execution-failure.js'
import type { ExecutionContext, Executor } from '../executor.js'
import { type AttemptFolder, clearLeftovers, makeAttemptFolder, removeFolder } from './attempt-folder.js'
import { collectOutputs, placeInputs } from './files.js'
import { detectIsolation, type Isolation, type IsolationMode, type ShellUser } from './isolation.js'
import { readShellCall, type ShellCall } from './read-shell-call.js'
import { type Ended, runCommand } from './run-command.js'

export interface ShellOptions {
  enabled: boolean
  artifacts: Artifacts | undefined
  logger: Logger
  /** Ids of the projects that may run commands; all of them when undefined. */
  projects?: ReadonlySet<string> | undefined
  isolation?: IsolationMode | undefined
  /** Whom commands run as, in place of a user for each attempt. */
  user?: ShellUser | undefined
  folder?: string | undefined
}

export function createShellExecutor(options: ShellOptions): Executor {
  if (!options.enabled) return { uses: 'shell', execute: refuse }
  const root = options.folder ?? tmpdir()
  const prepared = prepare(root, options)
  // Each task that comes is told; until one does, it is nobody's failure.
  prepared.catch((error: unknown) => options.logger.warn({ err: error }, 'shell commands will be refused'))
  return {
    uses: 'shell',
    async execute(ctx) {
      if (options.projects && !options.projects.has(ctx.lease.projectId)) throw notPermitted()
      const call = readShellCall(ctx.input)
      const isolation = await prepared
      const folder = await makeAttemptFolder(root, isolation.nextUser())
      try {
        return await runIn(folder, call, isolation, options.artifacts, ctx)
      } finally {
        await removeFolder(folder).catch((error: unknown) => {
          options.logger.warn({ err: error, folder: folder.path }, 'the folder of an attempt could not be removed')
        })
      }
    },
  }
}

async function prepare(root: string, { isolation: mode, user, logger }: ShellOptions): Promise<Isolation> {
  const isolation = await detectIsolation(mode ?? 'auto', user)
  logger.info({ isolation: isolation.kind }, 'shell commands are on')
  await clearLeftovers(root, isolation, logger)
  return isolation
}

function refuse(): never {
  throw new ExecutionFailure('Shell commands are off: set MILLRACE_SHELL_ENABLED to allow them', {
    class: 'non_retryable',
    code: 'shell_disabled',
  })
}

function notPermitted(): ExecutionFailure {
  return new ExecutionFailure('This project may not run shell commands: MILLRACE_SHELL_PROJECTS does not name it', {
    class: 'non_retryable',
    code: 'shell_not_permitted',
  })
}

async function runIn(
  folder: AttemptFolder,
  call: ShellCall,
  isolation: Isolation,
  artifacts: Artifacts | undefined,
  ctx: ExecutionContext,
) {
  if (call.inputs.size > 0) await placeInputs(artifacts, call.inputs, folder, ctx)
  const ended = await runCommand(call, folder, isolation, ctx)
  const { exitCode, stdout, stderr } = ended
  if (exitCode !== 0) throw commandFailure(ended)
  ctx.log('info', 'system', 'the command exited with 0')
  if (call.outputs.length === 0) return { exitCode, stdout, stderr }
  return { exitCode, stdout, stderr, artifacts: await collectOutputs(artifacts, call.outputs, folder, ctx) }
}

function commandFailure({ exitCode, signal, stdout, stderr }: Ended): ExecutionFailure {
  const last = (stderr.trim() || stdout.trim()).split('\n').slice(-5).join('\n').slice(-2_000)
  const how = exitCode === null ? `was ended by ${signal}` : `exited with ${exitCode}`
  const message = `The command ${how}${last === '' ? '' : `: ${last}`}`
  return new ExecutionFailure(message, { class: 'user', code: exitCode === null ? 'command_killed' : 'command_failed' })
}
