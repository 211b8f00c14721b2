import { cpus, release, totalmem } from 'node:os'
import { cpuSeconds, cpuUsed } from './cpu.js'
import { resetStatements, topStatements } from './statements.js'
import { median } from './stats.js'
import { countStatements, startTarget } from './target.js'
import { type Figures, longWorkloads, workloads } from './workloads.js'

/** One warm-up and then this many counted rounds of each workload. */
const rounds = Number(process.env.BENCH_ROUNDS ?? 5)
const only = process.argv.slice(2)
/** A line of JSON a round, for whoever compares. */
const asJson = process.env.BENCH_JSON === '1'

function describeMachine(): string {
  const cores = cpus()
  return `${cores.length} × ${cores[0]?.model ?? 'cpu'}, ${Math.round(totalmem() / 2 ** 30)} GiB, Linux ${release()}, Node ${process.version}`
}

function table(results: ReadonlyMap<string, number[]>): string {
  const lines = [...results].map(([name, values]) => {
    const range = `${Math.min(...values)}–${Math.max(...values)}`
    return `| ${name} | ${median(values)} | ${range} | ${values.length} |`
  })
  return ['| figure | median | range | rounds |', '|---|---|---|---|', ...lines].join('\n')
}

const target = await startTarget()
try {
  const results = new Map<string, number[]>()
  const chosen = only.length > 0 ? Object.entries({ ...workloads, ...longWorkloads }) : Object.entries(workloads)
  for (const [name, workload] of chosen) {
    if (only.length > 0 && !only.includes(name)) continue
    await workload(target, 0)
    for (let turn = 1; turn <= rounds; turn += 1) {
      if (countStatements) await resetStatements(target.database)
      const before = cpuSeconds(target.roots)
      const figures: Figures = await workload(target, turn)
      const used = cpuUsed(before, cpuSeconds(target.roots))
      if (asJson) console.log(JSON.stringify({ engine: 'millrace', name, turn, figures }))
      else process.stderr.write(`${name} ${turn}: ${JSON.stringify(figures)}; CPU s: ${used}\n`)
      if (countStatements) process.stderr.write(`${await topStatements(target.database)}\n`)
      for (const [figure, value] of Object.entries(figures)) {
        results.set(figure, [...(results.get(figure) ?? []), value])
      }
    }
  }
  if (!asJson) console.log(`${describeMachine()}\n\n${table(results)}`)
} finally {
  await target.stop()
}
