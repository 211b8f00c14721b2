import { stat } from 'node:fs/promises'
import { isAbsolute, resolve } from 'node:path'
import { ExecutionFailure } from '../../execution/execution-failure.js'

/** Asked beforehand: behind a prefix that starts it, a missing program would look like one that failed. */
export async function requireProgram(file: string, path: string, cwd: string): Promise<void> {
  const candidates = file.includes('/') ? [resolve(cwd, file)] : searched(path).map((folder) => `${folder}/${file}`)
  for (const candidate of candidates) if (await isProgram(candidate)) return
  throw new ExecutionFailure('The program cannot be started: it was not found, or is not executable', {
    class: 'non_retryable',
    code: 'command_not_found',
  })
}

const searched = (path: string): string[] => path.split(':').filter((folder) => isAbsolute(folder))

async function isProgram(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined)
  return found?.isFile() === true && (found.mode & 0o111) !== 0
}
