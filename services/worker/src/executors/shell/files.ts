import { constants, createWriteStream } from 'node:fs'
import { chown, open } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Artifacts, StoredFile } from '../../clients/artifacts.js'
import { ExecutionFailure, invalidOutput } from '../../execution/execution-failure.js'
import type { ExecutionContext } from '../executor.js'
import type { AttemptFolder } from './attempt-folder.js'

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
  ctx: ExecutionContext,
): Promise<void> {
  const service = present(artifacts)
  for (const [name, id] of inputs) {
    const path = join(folder.path, name)
    const content = await service.read(id, ctx)
    await pipeline(content, createWriteStream(path, { flags: 'wx', mode: 0o600 }), { signal: ctx.signal })
    if (folder.user) await chown(path, folder.user.uid, folder.user.gid)
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
    const file = await openPlain(folder, name)
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

/** A file of the command's own and nothing that leads elsewhere, by link or name: the worker may read more than it. */
async function openPlain({ path, user }: AttemptFolder, name: string) {
  const missing = () => invalidOutput(`The command left no file ${name}`)
  const file = await open(join(path, name), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    () => {
      throw missing()
    },
  )
  const found = await file.stat()
  if (found.isFile() && (!user || found.uid === user.uid)) return file
  await file.close()
  throw missing()
}
