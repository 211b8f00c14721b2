import { tmpdir } from 'node:os'
import type { Logger } from '@millrace/logger'
import type { Artifacts } from '../../clients/artifacts.js'
import { ExecutionFailure } from '../../execution/execution-failure.js'
import type { ExecutionContext, Executor } from '../executor.js'
import {
  type AttemptFolder,
  clearLeftovers,
  makeAttemptFolder,
  removeFolder,
  type ShellUser,
} from './attempt-folder.js'
import { collectOutputs, placeInputs } from './files.js'
import { readShellCall, type ShellCall } from './read-shell-call.js'
import { type Ended, runCommand } from './run-command.js'

export interface ShellOptions {
  enabled: boolean
  artifacts: Artifacts | undefined
  logger: Logger
  /** Whom commands run as; the worker itself unless given. */
  user?: ShellUser | undefined
  folder?: string | undefined
}

export function createShellExecutor(options: ShellOptions): Executor {
  if (!options.enabled) return { uses: 'shell', execute: refuse }
  const root = options.folder ?? tmpdir()
  const cleared = clearLeftovers(root, options.logger)
  return {
    uses: 'shell',
    async execute(ctx) {
      const call = readShellCall(ctx.input)
      await cleared
      const folder = await makeAttemptFolder(root, options.user)
      try {
        return await runIn(folder, call, options, ctx)
      } finally {
        await removeFolder(folder).catch((error: unknown) => {
          options.logger.warn({ err: error, folder: folder.path }, 'the folder of an attempt could not be removed')
        })
      }
    },
  }
}

function refuse(): never {
  throw new ExecutionFailure('Shell commands are off: set MILLRACE_SHELL_ENABLED to allow them', {
    class: 'non_retryable',
    code: 'shell_disabled',
  })
}

async function runIn(folder: AttemptFolder, call: ShellCall, options: ShellOptions, ctx: ExecutionContext) {
  const { artifacts, user } = options
  if (call.inputs.size > 0) await placeInputs(artifacts, call.inputs, folder, user, ctx)
  const ended = await runCommand(call, folder, user, ctx)
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
