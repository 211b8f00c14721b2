// DBOS as its documentation shows it: the process that starts a workflow also runs it. No client, worker or gateway between.
import { DBOS } from '@dbos-inc/dbos-sdk'
import { chainFigures, check, now, perSecond, pool, rounded, triggerFigures } from './lib.mjs'

const step = async (i) => {
  const started = now()
  return { i, started, ended: now() }
}

const chain = DBOS.registerWorkflow(
  async (length) => {
    const steps = []
    for (let i = 0; i < length; i += 1) steps.push(await DBOS.runStep(() => step(i), { name: 'step' }))
    return steps
  },
  { name: 'chain' },
)

const fan = DBOS.registerWorkflow(
  async (width) => {
    await DBOS.runStep(() => step(0), { name: 'first' })
    const done = new Set()
    await pool(width, 50, async (i) => done.add((await DBOS.runStep(() => step(i), { name: 'step' })).i))
    return await DBOS.runStep(async () => done.size, { name: 'join' })
  },
  { name: 'fan' },
)

const run = async (workflow, argument) => await (await DBOS.startWorkflow(workflow)(argument)).getResult()

async function many(length, count, inFlight) {
  const begin = now()
  let steps = 0
  await pool(count, inFlight, async () => {
    const result = await run(chain, length)
    steps += result.length
  })
  check(steps === length * count, 'DBOS workflows')
  return perSecond(count, begin)
}

export async function start({ postgresUrl }) {
  DBOS.setConfig({ name: 'bench', systemDatabaseUrl: postgresUrl, logLevel: 'error', systemDatabasePoolSize: 20 })
  await DBOS.launch()
  return {
    workloads: {
      async sequence() {
        const begin = now()
        const steps = await run(chain, 40)
        check(steps.length === 40, 'the DBOS chain')
        return chainFigures(now() - begin, steps)
      },
      trigger: () => triggerFigures(async () => (await run(chain, 1))[0].started),
      async 'fan-out'() {
        const begin = now()
        check((await run(fan, 1000)) === 1000, 'the DBOS fan-out')
        return { '1 → 1,000 → join, ms': rounded(now() - begin) }
      },
      'one-task': async () => ({ 'one-task runs/s, batch': await many(1, 5000, 50) }),
      'three-task': async () => ({ 'three-task runs/s, batch': await many(3, 1000, 100) }),
    },
    stop: () => DBOS.shutdown(),
  }
}
