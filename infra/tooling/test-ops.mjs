// Tests that need a tool of their own: node infra/tooling/test-ops.mjs <tool or -> <test files…>. Debian's package of the tool is
// installed where that is possible without asking.
import './check-node.mjs'
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../', import.meta.url))
const [tool, ...files] = process.argv.slice(2)
const { ensureBuilt, ensureInstalled } = await import('./workspace.mjs')
await ensureInstalled(root)
await ensureBuilt(root)

const isHere = () => tool === '-' || spawnSync(tool, ['--version'], { stdio: 'ignore' }).error === undefined
if (!isHere() && process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
  spawnSync('apt-get', ['update'], { stdio: 'ignore' })
  spawnSync('apt-get', ['install', '--yes', '--no-install-recommends', tool], { stdio: 'ignore' })
}
if (!isHere()) {
  console.error(`${tool} is missing: apt-get install ${tool}`)
  process.exit(1)
}
const vitest = join(root, 'node_modules/vitest/vitest.mjs')
const { status } = spawnSync(process.execPath, [vitest, 'run', '-c', 'vitest.ops.config.ts', ...files], {
  cwd: root,
  stdio: 'inherit',
})
process.exit(status ?? 1)
