// make screenshots, make measure-console: what shows the console rather than tests it, on a standalone of its own.
// With names after it, as in `node infra/tooling/show-console.mjs screenshots approvals,run-saga`, only these pictures are drawn.
import './check-node.mjs'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ensureChromium } from './ensure-chromium.mjs'
import { ensureBuilt, ensureConsoleBuilt, ensureInstalled } from './workspace.mjs'

const root = fileURLToPath(new URL('../../', import.meta.url))
const asked = process.argv[2] ?? 'numbers'
const files = asked === 'numbers' ? ['numbers', 'memory'] : [asked]
await ensureInstalled(root)
await ensureBuilt(root)
await ensureConsoleBuilt(root)
ensureChromium()
const env = { ...process.env }
if (asked === 'screenshots') {
  env.MILLRACE_SCREENSHOTS ??= join(root, 'docs', 'images', 'console')
  env.MILLRACE_SCREENSHOTS_ONLY ??= process.argv[3] ?? ''
}
const vitest = join(root, 'node_modules/vitest/vitest.mjs')
const args = [vitest, 'run', '-c', 'vitest.show.config.ts', ...files, '--disable-console-intercept=true']
process.exit(spawnSync(process.execPath, args, { cwd: root, env, stdio: 'inherit' }).status ?? 1)
