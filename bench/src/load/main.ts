import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startStackTarget, startTarget } from '../target.js'
import { plot } from './plot.js'
import { byMinute, table } from './report.js'
import type { Outcome } from './results.js'
import { measureCapacity, runScenario } from './run-scenario.js'
import { schedulesInOneSecond } from './schedules.js'
import { brokenLimits, soakReport, soakRetentionMinutes } from './soak.js'

/** node bench/dist/load/main.js [--stack] [scenario…]; LOAD_SECONDS shortens, LOAD_OUT is where the plots go. */
const isStack = process.argv.includes('--stack')
const chosen = process.argv.slice(2).filter((name) => name !== '--stack')
const names = chosen.length > 0 ? chosen : ['light', 'burst', 'fan-out', 'mixed', 'schedules']
const seconds = process.env.LOAD_SECONDS ? Number(process.env.LOAD_SECONDS) : undefined
const out = process.env.LOAD_OUT ?? '.millrace/load'
const outcomes: Outcome[] = []

// What a soak makes must go again while it lasts.
const env = names.includes('soak') ? { MILLRACE_RETENTION: `${soakRetentionMinutes}m` } : {}
const target = isStack ? await startStackTarget(env) : await startTarget({ countStatements: false, env })
try {
  mkdirSync(out, { recursive: true })
  for (const name of names) {
    if (name === 'schedules') {
      console.log(JSON.stringify(await schedulesInOneSecond(target, Number(process.env.LOAD_SCHEDULES ?? 10_000))))
      continue
    }
    const capacity = name === 'soak' ? await measureCapacity(target) : 0
    if (capacity > 0) console.log(`capacity: ${capacity.toFixed(0)} runs of three tasks a second; the soak takes half`)
    const outcome = await runScenario(target, name, { capacity, ...(seconds ? { seconds } : {}) })
    outcomes.push(outcome)
    writeFileSync(join(out, `${name}.svg`), plot(outcome))
    writeFileSync(join(out, `${name}.json`), JSON.stringify({ byMinute: byMinute(outcome), samples: outcome.samples }))
    if (name === 'soak') console.log(soakReport(outcome))
  }
} finally {
  await target.stop()
}
if (outcomes.length > 0) console.log(`\n${table(outcomes)}\n\nPlots: ${out}`)
const isWell = outcomes.every(({ stuck, failed, sent }) => stuck === 0 && failed === 0 && sent.errors === 0)
const isSteady = outcomes.every((outcome) => outcome.name !== 'soak' || brokenLimits(outcome).length === 0)
process.exitCode = isWell && isSteady ? 0 : 1
