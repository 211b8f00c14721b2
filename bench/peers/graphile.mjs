// graphile-worker: a queue of single jobs on PostgreSQL, no graphs. The worker is a process of its own, 50 at once.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { Logger, makeWorkerUtils, run } from 'graphile-worker'
import pg from 'pg'
import { check, now, perSecond, triggerFigures } from './lib.mjs'

const addMany = `select 1 from graphile_worker.add_jobs((
  select array_agg(json_populate_record(null::graphile_worker.job_spec,
    json_build_object('identifier', 'step', 'payload', json_build_object('id', x))))
  from unnest($1::text[]) x))`

/** What the worker saw, told when as many different jobs ran as were expected. */
async function workFor(connectionString) {
  let seen = new Map()
  let expected = 0
  let repeated = 0
  process.on('message', (count) => {
    seen = new Map()
    expected = count
    process.send('armed')
  })
  const step = async ({ id }) => {
    if (seen.has(id)) repeated += 1
    seen.set(id, now())
    if (seen.size === expected) process.send({ at: now(), first: [...seen.values()][0], repeated })
  }
  const logger = new Logger(() => () => undefined)
  await run({ connectionString, concurrency: 50, maxPoolSize: 10, noHandleSignals: true, logger, taskList: { step } })
  process.send('ready')
}

export async function start({ postgresUrl }) {
  const worker = fork(fileURLToPath(import.meta.url), [postgresUrl])
  await once(worker, 'message')
  const pgPool = new pg.Pool({ connectionString: postgresUrl, max: 20 })
  const utils = await makeWorkerUtils({ pgPool })
  const arm = async (count) => {
    worker.send(count)
    await once(worker, 'message')
  }
  return {
    workloads: {
      trigger: () =>
        triggerFigures(async () => {
          await arm(1)
          const done = once(worker, 'message')
          await utils.addJob('step', { id: String(now()) })
          return (await done)[0].first
        }),
      async 'one-task'() {
        await arm(5000)
        const done = once(worker, 'message')
        const begin = now()
        for (let k = 0; k < 5; k += 1) {
          await pgPool.query(addMany, [Array.from({ length: 1000 }, (_, i) => `${begin}-${k}-${i}`)])
        }
        const [{ repeated }] = await done
        check(repeated === 0, 'graphile-worker jobs')
        return { 'one-task runs/s, batch': perSecond(5000, begin) }
      },
    },
    async stop() {
      await utils.release()
      await pgPool.end()
      worker.kill()
      await once(worker, 'exit')
    },
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await workFor(process.argv[2])
