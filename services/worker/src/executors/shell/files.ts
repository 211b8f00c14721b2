import { constants, createWriteStream } from 'node:fs'
import { chown, open } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Artifacts, StoredFile } from '../../clients/artifacts.js'
import { ExecutionFailure, invalidOutput } from '../../execution/execution-failure.js'
import type { ExecutionContext } from '../executor.js'
import type { AttemptFolder, ShellUser } from './attempt-folder.js'

function present(artifacts: Artifacts | undefined): Artifacts {
  if (artifacts) return artifacts
  throw new ExecutionFailure('This worker has no artifact service: set MILLRACE_ARTIFACT_URL', {
    class: 'non_retryable',
    code: 'artifacts_unavailable',
  })
}

export async function placeInputs(
  artifacts: Artifacts | undefined,
  inputs: ReadonlyMap<string, string>,
  folder: AttemptFolder,
  user: ShellUser | undefined,
  ctx: ExecutionContext,
): Promise<void> {
  const service = present(artifacts)
  for (const [name, id] of inputs) {
    const path = join(folder.path, name)
    const content = await service.read(id, ctx)
    await pipeline(content, createWriteStream(path, { flags: 'wx', mode: 0o600 }), { signal: ctx.signal })
    if (user) await chown(path, user.uid, user.gid)
    ctx.log('info', 'system', `placed artifact ${id} as ${name}`)
  }
}

export async function collectOutputs(
  artifacts: Artifacts | undefined,
  names: readonly string[],
  folder: AttemptFolder,
  ctx: ExecutionContext,
): Promise<Record<string, StoredFile>> {
  const service = present(artifacts)
  const stored: Record<string, StoredFile> = {}
  for (const name of names) {
    const file = await openPlain(join(folder.path, name), name)
    try {
      const { size } = await file.stat()
      stored[name] = await service.write(name, file.createReadStream({ autoClose: false }), size, ctx)
    } finally {
      await file.close()
    }
    ctx.log('info', 'system', `kept ${name} as artifact ${stored[name]?.id}`)
  }
  return stored
}

/** A file and nothing that leads elsewhere: the worker may read more than the command. */
async function openPlain(path: string, name: string) {
  const missing = () => invalidOutput(`The command left no file ${name}`)
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(() => {
    throw missing()
  })
  if ((await file.stat()).isFile()) return file
  await file.close()
  throw missing()
}
