import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Standalone } from '../support/standalone.js'

/** What a deployment said, of which a test failed: CHAOS_LOGS names the folder. The data itself goes with the test. */
export function keepLogs(standalone: Standalone | undefined, name: string): string {
  if (!standalone) return ''
  const parent = process.env.CHAOS_LOGS ?? join(tmpdir(), 'millrace-chaos-logs')
  const folder = join(parent, `${Date.now()}-${name.replace(/[^a-z0-9]+/gi, '-').slice(0, 60)}`)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'terminal.log'), standalone.output)
  for (const source of ['logs', join('postgres', 'postgres.log')]) {
    const path = join(standalone.dataDir, source)
    if (existsSync(path)) cpSync(path, join(folder, source.replaceAll('/', '-')), { recursive: true })
  }
  console.log(`its logs are in ${folder}`)
  return folder
}
