import '../check-node.mjs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const { ensureBuilt, ensureInstalled } = await import('../workspace.mjs')
await ensureInstalled(root)
await ensureBuilt(root)
const say = (line) => console.log(line)
if (process.argv[2] === 'recovery') {
  const { demoRecovery } = await import('./recovery.mjs')
  const { lost, wrong } = await demoRecovery(say)
  process.exitCode = lost === 0 && wrong === 0 ? 0 : 1
} else {
  const { demoOrder } = await import('./order.mjs')
  const { run } = await demoOrder(say)
  process.exitCode = run.status === 'succeeded' ? 0 : 1
}
