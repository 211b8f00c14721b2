// make run: installs and builds what is missing, then becomes the supervisor. One process, so signals reach it.
import './check-node.mjs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = fileURLToPath(new URL('../../', import.meta.url))
const { ensureBuilt, ensureConsoleBuilt, ensureInstalled, ensureRuntime } = await import('./workspace.mjs')
const runtime = ensureRuntime(root)
await ensureInstalled(root)
await Promise.all([runtime, ensureBuilt(root), ensureConsoleBuilt(root)])
await import(pathToFileURL(join(root, 'services/standalone/dist/main.js')).href)
