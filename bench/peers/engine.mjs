// One engine's workloads in a process of their own: node engine.mjs <engine> <rounds> <facts as JSON>; a line of JSON a figure.
const [engine, rounds, facts] = process.argv.slice(2)
const { start } = await import(`./${engine}.mjs`)
const target = await start(JSON.parse(facts))
for (const [name, workload] of Object.entries(target.workloads)) {
  await workload()
  for (let turn = 1; turn <= Number(rounds); turn += 1) {
    process.stdout.write(`${JSON.stringify({ engine, name, turn, figures: await workload() })}\n`)
  }
}
await target.stop()
process.exit(0)
