// make stack: installs and builds what is missing, then becomes the stack's supervisor. One process, so signals reach it.
// With "status" or "down" it looks at, or ends, the stack that runs; "import <folder>" fills a new one.
import './check-node.mjs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = fileURLToPath(new URL('../../', import.meta.url))
const { ensureBuilt, ensureConsoleBuilt, ensureInstalled, ensureRuntime } = await import('./workspace.mjs')
await ensureInstalled(root)
await ensureRuntime(root)
await ensureBuilt(root)
await ensureConsoleBuilt(root)
await import(pathToFileURL(join(root, 'infra/stack/supervisor/dist/main.js')).href)
