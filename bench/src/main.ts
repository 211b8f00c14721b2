import { cpus, loadavg, release, totalmem } from 'node:os'
import { cpuSeconds, cpuUsed } from './cpu.js'
import { resetStatements, topStatements } from './statements.js'
import { median } from './stats.js'
import { startTarget, type Target } from './target.js'
import { countedWorkloads, longWorkloads, type Workload, workloads } from './workloads.js'

/** One warm-up and then this many counted rounds of each workload. */
const rounds = Number(process.env.BENCH_ROUNDS ?? 5)
/** Counters hardly differ from round to round. */
const countedRounds = Math.min(rounds, 2)
const only = process.argv.slice(2)
/** A line of JSON a round, for whoever compares. */
const asJson = process.env.BENCH_JSON === '1'
/** Also which statements took the server's time, in every workload. */
const showStatements = process.env.BENCH_STATEMENTS === '1'

function describeMachine(): string {
  const cores = cpus()
  const load = loadavg()[0]?.toFixed(1)
  return `${cores.length} × ${cores[0]?.model ?? 'cpu'}, ${Math.round(totalmem() / 2 ** 30)} GiB, Linux ${release()}, load ${load} before the start`
}

function table(results: ReadonlyMap<string, number[]>): string {
  const lines = [...results].map(([name, values]) => {
    const range = `${Math.min(...values)}–${Math.max(...values)}`
    return `| ${name} | ${median(values)} | ${range} | ${values.length} |`
  })
  return ['| figure | median | range | rounds |', '|---|---|---|---|', ...lines].join('\n')
}

const results = new Map<string, number[]>()
let runtime = ''

async function measure(target: Target, name: string, workload: Workload, turns: number): Promise<void> {
  await workload(target, 0)
  for (let turn = 1; turn <= turns; turn += 1) {
    if (showStatements) await resetStatements(target.database)
    const before = cpuSeconds(target.roots)
    const figures = await workload(target, turn)
    const used = cpuUsed(before, cpuSeconds(target.roots))
    if (asJson) console.log(JSON.stringify({ engine: 'millrace', name, turn, figures }))
    else process.stderr.write(`${name} ${turn}: ${JSON.stringify(figures)}; CPU s: ${used}\n`)
    if (showStatements) process.stderr.write(`${await topStatements(target.database)}\n`)
    for (const [figure, value] of Object.entries(figures)) {
      results.set(figure, [...(results.get(figure) ?? []), value])
    }
  }
}

/** A deployment of its own for these, if any of them is wanted. */
async function measureAll(all: Record<string, Workload>, turns: number, countStatements: boolean): Promise<void> {
  const chosen = Object.entries(all).filter(([name]) => only.length === 0 || only.includes(name))
  if (chosen.length === 0) return
  const target = await startTarget({ countStatements: countStatements || showStatements })
  runtime = target.runtime
  try {
    for (const [name, workload] of chosen) await measure(target, name, workload, turns)
  } finally {
    await target.stop()
  }
}

const machine = describeMachine()
await measureAll(only.length > 0 ? { ...workloads, ...longWorkloads } : workloads, rounds, false)
await measureAll(countedWorkloads, countedRounds, true)
if (!asJson) console.log(`${machine}; ${runtime}\n\n${table(results)}`)
