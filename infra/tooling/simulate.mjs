// make sim SEEDS=n [FROM=n], make sim SEED=n: the scheduler's simulation outside the test suite.
import './check-node.mjs'
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../', import.meta.url))
const { ensureBuilt, ensureInstalled } = await import('./workspace.mjs')
await ensureInstalled(root)
await ensureBuilt(root)
// make gives what was not set as empty.
const env = Object.fromEntries(Object.entries(process.env).filter(([, value]) => value !== ''))
const config = 'services/scheduler/tests/simulation/vitest.config.ts'
const args = ['node_modules/vitest/vitest.mjs', 'run', '--config', config]
process.exit(spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit', env }).status ?? 1)
