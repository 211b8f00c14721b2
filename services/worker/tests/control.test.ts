import { fork } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { workerServiceDefinition } from '@millrace/contracts'
import { createGrpcClient } from '@millrace/grpc'
import type { ServiceName } from '@millrace/identity'
import { metricsText } from '@millrace/telemetry'
import { testService, testServiceEnv, waitFor } from '@millrace/testkit'
import { describe, expect, it, onTestFinished } from 'vitest'
import { gate, type Harness, resultOf, startHarness } from './harness.js'

function control({ service }: Harness, caller: ServiceName = 'workflow') {
  const serviceToken = () => testService(caller).tokenFor('worker')
  const client = createGrpcClient(workerServiceDefinition, `127.0.0.1:${service.grpcPort}`, { serviceToken })
  onTestFinished(() => client.close())
  return client
}

describe('drain', () => {
  it('finishes what runs, takes nothing new, and reports before it ends', async () => {
    const held = gate()
    const { dispatch, service, logs } = await startHarness({ executors: [held.executor], concurrency: 2 })
    const [first, second, third] = dispatch.enqueue({ uses: 'gate' }, { uses: 'gate' }, { uses: 'gate' })
    await waitFor(() => held.state.running === 2)
    const stopped = service.stop()
    await waitFor(() => service.worker.state === 'draining')
    held.release()
    await stopped
    expect([dispatch.result(first)?.outcome, dispatch.result(second)?.outcome]).toEqual([
      'OUTCOME_SUCCEEDED',
      'OUTCOME_SUCCEEDED',
    ])
    expect([dispatch.result(third), held.state.started, service.worker.state]).toEqual([undefined, 2, 'stopped'])
    expect(logs.of(first).at(-1)?.message).toMatch(/succeeded/)
  })

  it('hands back what is still running when its time is over', async () => {
    const held = gate()
    const { dispatch, service } = await startHarness({ executors: [held.executor] })
    const [id] = dispatch.enqueue({ uses: 'gate' })
    await waitFor(() => held.state.running === 1)
    await service.stop(50)
    expect([dispatch.result(id)?.outcome, held.state.aborted]).toEqual(['OUTCOME_HANDED_BACK', ['handed_back']])
  })

  it('ends without a scheduler too', async () => {
    const held = gate()
    const { dispatch, service } = await startHarness({ executors: [held.executor], flushTimeoutMs: 200 })
    dispatch.enqueue({ uses: 'gate' })
    await waitFor(() => held.state.running === 1)
    await dispatch.stop()
    const startedAt = Date.now()
    await service.stop(50)
    expect(Date.now() - startedAt).toBeLessThan(3_000)
  })

  it('can be asked for by the scheduler, and says when it is done', async () => {
    let drained = false
    const { dispatch, service } = await startHarness({
      onDrained: () => {
        drained = true
      },
    })
    await waitFor(() => dispatch.commandStreams === 1)
    dispatch.command({ drain: true })
    await waitFor(() => drained)
    expect(service.worker.state).toBe('stopped')
  })
})

describe('pause', () => {
  it('by the scheduler: what runs goes on, what arrives is handed back, resume takes up again', async () => {
    const held = gate()
    const { dispatch, service } = await startHarness({ executors: [held.executor] })
    const [running] = dispatch.enqueue({ uses: 'gate' })
    await waitFor(() => held.state.running === 1 && dispatch.commandStreams === 1 && dispatch.openPolls === 1)
    dispatch.command({ pause: true })
    await waitFor(() => service.worker.state === 'paused')
    const [late] = dispatch.enqueue({ uses: 'gate' })
    expect((await resultOf(dispatch, late)).outcome).toBe('OUTCOME_HANDED_BACK')
    held.release()
    expect((await resultOf(dispatch, running)).outcome).toBe('OUTCOME_SUCCEEDED')
    const [waiting] = dispatch.enqueue({ uses: 'gate' })
    await delay(700)
    expect([dispatch.openPolls, dispatch.queued]).toEqual([0, 2])
    dispatch.command({ resume: true })
    await waitFor(() => held.state.started === 3)
    held.release()
    expect((await resultOf(dispatch, waiting)).outcome).toBe('OUTCOME_SUCCEEDED')
    await waitFor(() => dispatch.accepted.get(late ?? '')?.at(-1)?.outcome === 'OUTCOME_SUCCEEDED')
  })
})

describe('a worker that lost its session', () => {
  it('while paused comes back paused, until it is resumed', async () => {
    const { dispatch, service } = await startHarness()
    await waitFor(() => dispatch.commandStreams === 1)
    dispatch.command({ pause: true })
    await waitFor(() => service.worker.state === 'paused')
    dispatch.sessions.clear()
    await waitFor(() => dispatch.registrations.length === 2)
    expect(dispatch.registrations.map(({ paused, version }) => [paused, version])).toEqual([
      [false, expect.stringMatching(/^\d+\.\d+/)],
      [true, expect.any(String)],
    ])
    expect(service.worker.state).toBe('paused')
  })
})

describe('WorkerService', () => {
  it('tells what runs, pauses, resumes and drains', async () => {
    const held = gate()
    const harness = await startHarness({ executors: [held.executor] })
    const { dispatch } = harness
    const client = control(harness)
    const [id] = dispatch.enqueue({ uses: 'gate', key: 'k', attempt: 2 })
    await waitFor(() => held.state.running === 1)
    const status = await client.getStatus({})
    expect(status).toMatchObject({ workerId: 'w1', state: 'running', concurrency: 4, executors: ['gate'] })
    expect(status.running).toMatchObject([{ taskId: id, key: 'k', uses: 'gate', attempt: 2 }])
    const toldOf = (requestedState: string) =>
      dispatch.heartbeats.filter((beat) => beat.requestedState === requestedState).length
    await client.pause({})
    expect((await client.getStatus({})).state).toBe('paused')
    // The scheduler learns of it, once; what it said before that does not count.
    dispatch.command({ resume: true })
    await waitFor(() => toldOf('paused') === 1)
    expect((await client.getStatus({})).state).toBe('paused')
    await client.resume({})
    expect((await client.getStatus({})).state).toBe('running')
    await waitFor(() => toldOf('active') === 1)
    const draining = client.drain({ timeoutMs: 5_000 })
    await waitFor(() => harness.service.worker.state === 'draining')
    held.release()
    expect(await draining).toEqual({ drained: true })
    expect([toldOf('draining') > 0, dispatch.deregistered]).toEqual([true, [...dispatch.sessions.keys()]])
  })

  it('answers nobody without the service identity, and no other worker', async () => {
    const harness = await startHarness()
    const stranger = createGrpcClient(workerServiceDefinition, `127.0.0.1:${harness.service.grpcPort}`)
    onTestFinished(() => stranger.close())
    await expect(stranger.getStatus({})).rejects.toMatchObject({ code: 'unauthenticated' })
    await expect(control(harness, 'worker').drain({})).rejects.toMatchObject({ code: 'permission_denied' })
  })
})

describe('telemetry', () => {
  it('counts executions by outcome and class', async () => {
    const { dispatch } = await startHarness()
    const ids = dispatch.enqueue({}, { uses: 'fail', inputJson: '{"class":"http_5xx"}' })
    await Promise.all(ids.map((id) => resultOf(dispatch, id)))
    const text = await metricsText()
    expect(text).toMatch(/millrace_worker_executed_total\{uses="noop",outcome="succeeded",class=""\} \d+/)
    expect(text).toMatch(/millrace_worker_executed_total\{uses="fail",outcome="failed",class="http_5xx"\} \d+/)
    expect(text).toMatch(/millrace_worker_running_tasks \d+/)
    expect(text).toMatch(/millrace_worker_report_seconds_count [1-9]/)
  })

  it('executes inside a span that continues the trace of the lease', async () => {
    const { dispatch } = await startHarness()
    const trace = '0af7651916cd43dd8448eb211c80319c'
    const [id] = dispatch.enqueue({ traceparent: `00-${trace}-b7ad6b7169203331-01` })
    const { traceparent } = await resultOf(dispatch, id)
    expect(traceparent).toMatch(new RegExp(`^00-${trace}-[0-9a-f]{16}-0[01]$`))
    expect(traceparent).not.toContain('b7ad6b7169203331')
  })

  it('serves health and metrics where an address is given', async () => {
    const { service } = await startHarness({ http: { host: '127.0.0.1', port: 0 } })
    const get = (path: string) => fetch(`http://127.0.0.1:${service.httpPort}${path}`)
    await waitFor(async () => (await get('/readyz')).status === 200)
    expect((await get('/healthz')).status).toBe(200)
    expect(await (await get('/metrics')).text()).toContain('millrace_worker_running_tasks')
    expect((await get('/other')).status).toBe(404)
  })
})

describe('the process', () => {
  const main = fileURLToPath(new URL('../dist/main.js', import.meta.url))

  async function startProcess() {
    const harness = await startHarness()
    await harness.service.stop(0)
    const env = {
      ...{
        PATH: process.env.PATH,
        ...testServiceEnv('worker'),
        MILLRACE_LOG_LEVEL: 'silent',
      },
      MILLRACE_SCHEDULER_PUBLIC_GRPC: harness.config.schedulerGrpc,
      MILLRACE_METADATA_GRPC: harness.config.metadataGrpc,
      MILLRACE_WORKER_EXIT_WITH_PARENT: 'true',
    }
    const child = fork(main, { env, silent: true })
    const exit = new Promise<number | null>((resolve) => child.once('exit', resolve))
    onTestFinished(() => void child.kill('SIGKILL'))
    const [id] = harness.dispatch.enqueue({ uses: 'sleep', inputJson: '{"duration":"2s"}' })
    // Granted is not received: what arrives after the signal is handed back. A heartbeat names what the worker has.
    await waitFor(() => harness.dispatch.heartbeats.some(({ held }) => held.some(({ taskId }) => taskId === id)))
    return { child, exit, dispatch: harness.dispatch, id }
  }

  it('drains and exits 0 on SIGTERM', async () => {
    const { child, exit, dispatch, id } = await startProcess()
    child.kill('SIGTERM')
    expect([await exit, dispatch.result(id)?.outcome]).toEqual([0, 'OUTCOME_SUCCEEDED'])
  })

  it('exits at once when its parent is gone', async () => {
    const { child, exit, dispatch, id } = await startProcess()
    child.disconnect()
    expect([await exit, dispatch.result(id)?.outcome]).toEqual([0, 'OUTCOME_HANDED_BACK'])
  })

  it('names every fault of its configuration and exits 1', async () => {
    const child = fork(main, { env: { MILLRACE_WORKER_CONCURRENCY: 'many' }, silent: true })
    let text = ''
    child.stderr?.on('data', (chunk) => {
      text += String(chunk)
    })
    const code = await new Promise((resolve) => child.once('exit', resolve))
    expect(code).toBe(1)
    for (const name of ['MILLRACE_WORKER_CONCURRENCY', 'MILLRACE_METADATA_GRPC', 'MILLRACE_SCHEDULER_PUBLIC_GRPC'])
      expect(text).toContain(name)
  })
})
