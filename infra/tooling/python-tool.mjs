// Tools from PyPI, each in a virtual environment of the cache folder, made once for each version.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { cacheDir } from '../stack/servers/dist/index.js'

function run(command, args) {
  const { status, error } = spawnSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'] })
  if (error?.code === 'ENOENT') throw new Error(`${command} is not installed. It is needed for tools from PyPI.`)
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed`)
}

/** The folder of the tool's commands; `more` is what goes into the same environment. A half-made environment is never used: it gets its mark last. */
export function pythonTool(name, version, more = []) {
  const folder = join(cacheDir(), 'python', `${name}-${version}`)
  const mark = join(folder, 'installed')
  if (!existsSync(mark)) {
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
    run('python3', ['-m', 'venv', join(folder, 'venv')])
    run(join(folder, 'venv', 'bin', 'pip'), ['install', '--quiet', `${name}==${version}`, ...more])
    mkdirSync(`${mark}.new`)
    renameSync(`${mark}.new`, mark)
  }
  return join(folder, 'venv', 'bin')
}
