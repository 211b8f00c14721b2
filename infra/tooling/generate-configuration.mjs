// Generates docs/reference/configuration.md from the readers of configuration (the built services).
// --check               fails if what is committed differs
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { profileSettings } from '../../services/scheduler/dist/profiles.js'
import { servicesOf } from '../../services/standalone/dist/supervisor/children-settings.js'
import { readSettings } from './configuration/read-settings.mjs'
import { renderConfiguration } from './configuration/render.mjs'

const page = fileURLToPath(new URL('../../docs/reference/configuration.md', import.meta.url))
const text = renderConfiguration(await readSettings(), servicesOf, profileSettings)

if (!process.argv.includes('--check')) writeFileSync(page, text)
else if (readFileSync(page, 'utf8') !== text) {
  console.error('docs/reference/configuration.md is stale (run make generate)')
  process.exitCode = 1
}
