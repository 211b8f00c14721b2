// Builds the console when its sources changed.
import { fileURLToPath } from 'node:url'
import { ensureConsoleBuilt } from './workspace.mjs'

await ensureConsoleBuilt(fileURLToPath(new URL('../../', import.meta.url)))
