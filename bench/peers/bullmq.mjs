// BullMQ flows on Redis that writes every command to disk before it answers. The worker is a process of its own, 50 at once.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { FlowProducer, Job, Queue, QueueEvents, Worker } from 'bullmq'
import { chainFigures, check, now, perSecond, pool, rounded, triggerFigures } from './lib.mjs'

const queueName = 'bench'
const connectionTo = (port) => ({ host: '127.0.0.1', port: Number(port), maxRetriesPerRequest: null })

async function work(job) {
  const started = now()
  const children = job.data.join ? Object.keys(await job.getChildrenValues()).length : undefined
  return { i: job.data.i, children, started, ended: now() }
}

/** A parent waits for its children, so a chain is built from its end. */
function nested(length) {
  let inner
  for (let i = 0; i < length; i += 1) {
    inner = { name: 'step', queueName, data: { i }, ...(inner ? { children: [inner] } : {}) }
  }
  return inner
}

function jobsOf(tree) {
  const jobs = []
  for (let node = tree; node; node = node.children?.[0]) jobs.push(node.job)
  return jobs.reverse()
}

const fan = () => ({
  name: 'join',
  queueName,
  data: { join: true },
  children: Array.from({ length: 1000 }, (_, i) => ({ name: 'step', queueName, data: { i } })),
})

function workloadsOf({ flows, queue, events }) {
  return {
    async sequence() {
      const begin = now()
      const tree = await flows.add(nested(40))
      await tree.job.waitUntilFinished(events)
      const total = now() - begin
      const jobs = await Promise.all(jobsOf(tree).map(({ id }) => Job.fromId(queue, id)))
      check(jobs.length === 40 && jobs.every((job, i) => job.returnvalue.i === i), 'the BullMQ chain')
      return chainFigures(
        total,
        jobs.map(({ returnvalue }) => returnvalue),
      )
    },
    trigger: () =>
      triggerFigures(async (i) => (await (await queue.add('step', { i })).waitUntilFinished(events)).started),
    async 'fan-out'() {
      const begin = now()
      const { children } = await (await flows.add(fan())).job.waitUntilFinished(events)
      check(children === 1000, 'the BullMQ fan-out')
      return { '1 → 1,000 → join, ms': rounded(now() - begin) }
    },
    async 'one-task'() {
      const begin = now()
      for (let k = 0; k < 5; k += 1) {
        await queue.addBulk(Array.from({ length: 1000 }, (_, i) => ({ name: 'step', data: { i } })))
      }
      while ((await queue.getJobCountByTypes('waiting', 'active', 'prioritized')) > 0) await new Promise(setImmediate)
      return { 'one-task runs/s, batch': perSecond(5000, begin) }
    },
    async 'three-task'() {
      const begin = now()
      let ended = 0
      await pool(1000, 100, async () => {
        const tree = await flows.add(nested(3))
        if ((await tree.job.waitUntilFinished(events)).i === 2) ended += 1
      })
      check(ended === 1000, 'BullMQ flows')
      return { 'three-task runs/s, batch': perSecond(1000, begin) }
    },
  }
}

export async function start({ redisPort }) {
  const worker = fork(fileURLToPath(import.meta.url), [String(redisPort)])
  await once(worker, 'message')
  const connection = connectionTo(redisPort)
  const defaultJobOptions = { removeOnComplete: 3000 }
  const flows = new FlowProducer({ connection })
  const queue = new Queue(queueName, { connection, defaultJobOptions })
  const events = new QueueEvents(queueName, { connection })
  events.setMaxListeners(0)
  await events.waitUntilReady()
  return {
    workloads: workloadsOf({ flows, queue, events }),
    async stop() {
      await Promise.all([flows.close(), queue.close(), events.close()])
      worker.kill()
      await once(worker, 'exit')
    },
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const worker = new Worker(queueName, work, { connection: connectionTo(process.argv[2]), concurrency: 50 })
  await worker.waitUntilReady()
  process.send?.('ready')
}
