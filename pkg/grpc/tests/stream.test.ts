import { schedulerServiceDefinition } from '@millrace/contracts'
import { AppError, notFound, unauthenticated, unavailable } from '@millrace/errors'
import { generateServiceKeySet, ServiceIdentity } from '@millrace/identity'
import { testService } from '@millrace/testkit'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createGrpcClient, type PublicAuth } from '../src/index.js'
import { identity, startScheduler } from './support.js'

const auth = (validate: PublicAuth['validate'] = async () => identity): PublicAuth => ({
  kind: 'public',
  validate,
  identity: testService('scheduler'),
})

async function drainOf(stream: AsyncIterable<unknown>): Promise<{ items: unknown[]; error?: AppError }> {
  const items: unknown[] = []
  try {
    for await (const item of stream) items.push(item)
    return { items }
  } catch (error) {
    if (error instanceof AppError) return { items, error }
    throw error
  }
}

async function* untilAborted(signal: AbortSignal) {
  yield { run: { id: 'first' } }
  await new Promise((resolve) => signal.addEventListener('abort', resolve))
}

describe('a server stream', () => {
  test('delivers every item in order and ends', async () => {
    const { client } = await startScheduler(
      {
        watchRun: async function* () {
          for (let i = 0; i < 5000; i++) yield { run: { id: String(i) } }
        },
      },
      auth(),
    )
    const ids: unknown[] = []
    for await (const item of client.watchRun({ runId: 'r' })) ids.push(item.run?.id)
    expect(ids).toEqual(Array.from({ length: 5000 }, (_, i) => String(i)))
  })

  test('yields no faster than a slow reader takes', async () => {
    let made = 0
    const { client } = await startScheduler(
      {
        watchRun: async function* () {
          for (;;) {
            made += 1
            yield { run: { id: 'x'.repeat(100_000) } }
          }
        },
      },
      auth(),
    )
    for await (const _item of client.watchRun({})) {
      await new Promise((resolve) => setTimeout(resolve, 300))
      break
    }
    expect(made).toBeLessThan(100)
  })

  test('carries an AppError after items', async () => {
    const { client } = await startScheduler(
      {
        watchRun: async function* () {
          yield { run: { id: 'a' } }
          throw notFound('run_not_found', 'No such run.')
        },
      },
      auth(),
    )
    const { items, error } = await drainOf(client.watchRun({}))
    expect(items).toHaveLength(1)
    expect(error).toMatchObject({ code: 'not_found', reason: 'run_not_found' })
  })

  test('aborts its handler when the reader leaves', async () => {
    let left: (value: unknown) => void = () => {}
    const gone = new Promise((resolve) => {
      left = resolve
    })
    const { client } = await startScheduler(
      {
        watchRun: async function* (_request, ctx) {
          ctx.signal.addEventListener('abort', left)
          yield { run: { id: 'first' } }
          await new Promise(() => {})
        },
      },
      auth(),
    )
    for await (const _item of client.watchRun({})) break
    await gone
  })

  test('ends as unavailable when the server stops', async () => {
    const { server, client } = await startScheduler({ watchRun: (_r, ctx) => untilAborted(ctx.signal) }, auth())
    const stream = client.watchRun({})[Symbol.asyncIterator]()
    await stream.next()
    const [end] = await Promise.allSettled([stream.next(), server.stop(3000)])
    expect(end).toMatchObject({ status: 'rejected', reason: { code: 'unavailable', reason: 'shutting_down' } })
  })
})

describe('a public listener', () => {
  test('gives the handler the identity for the credential and project shown', async () => {
    const seen: unknown[] = []
    const { client } = await startScheduler(
      { getRun: async (_request, ctx) => ({ run: { id: ctx.identity?.subject ?? '' } }) },
      auth(async (...shown) => {
        seen.push(shown)
        return identity
      }),
    )
    expect(await client.getRun({})).toMatchObject({ run: { id: 'user:1' } })
    expect(seen).toEqual([['Bearer good', 'one']])
  })

  test('refuses what validation refuses, for streams as for calls', async () => {
    const { client } = await startScheduler(
      {},
      auth(async () => {
        throw unauthenticated('expired', 'Expired.')
      }),
    )
    await expect(client.getRun({})).rejects.toMatchObject({ code: 'unauthenticated', reason: 'expired' })
    expect((await drainOf(client.watchRun({}))).error).toMatchObject({ code: 'unauthenticated', reason: 'expired' })
  })

  test('takes a service identity of a known key only, and for its methods only', async () => {
    const stranger = ServiceIdentity.fromKeySet('worker', generateServiceKeySet())
    const { address } = await startScheduler(
      { getRun: async (_request, ctx) => ({ run: { id: ctx.service ?? 'nobody' } }) },
      auth(async () => {
        throw unauthenticated('unknown', 'Unknown.')
      }),
    )
    const good = createGrpcClient(schedulerServiceDefinition, address, {
      serviceToken: () => testService('worker').tokenFor('scheduler'),
    })
    const forged = createGrpcClient(schedulerServiceDefinition, address, {
      serviceToken: () => stranger.tokenFor('scheduler'),
    })
    onTestFinished(() => {
      good.close()
      forged.close()
    })
    await expect(good.getRun({})).rejects.toMatchObject({ code: 'permission_denied', reason: 'forbidden_service' })
    await expect(forged.getRun({})).rejects.toMatchObject({ code: 'unauthenticated' })
  })

  test('ends an open stream as unauthenticated once its identity no longer holds', async () => {
    let valid = true
    const { client } = await startScheduler(
      { watchRun: (_r, ctx) => untilAborted(ctx.signal) },
      auth(async () => {
        if (!valid) throw unauthenticated('revoked', 'Revoked.')
        return identity
      }),
      30,
    )
    const stream = client.watchRun({})[Symbol.asyncIterator]()
    await stream.next()
    valid = false
    await expect(stream.next()).rejects.toMatchObject({ code: 'unauthenticated', reason: 'revoked' })
  })

  test('ends an open stream once its role changed, or it left the project', async () => {
    let role: 'operator' | 'viewer' = 'operator'
    const { client } = await startScheduler(
      { watchRun: (_r, ctx) => untilAborted(ctx.signal) },
      auth(async () => ({ ...identity, role })),
      30,
    )
    const stream = client.watchRun({})[Symbol.asyncIterator]()
    await stream.next()
    role = 'viewer'
    await expect(stream.next()).rejects.toMatchObject({ code: 'unauthenticated', reason: 'identity_changed' })
  })

  test('keeps a stream through one failed check and ends it after three', async () => {
    let checks = 0
    let failing = (_n: number) => false
    const { client } = await startScheduler(
      { watchRun: (_r, ctx) => untilAborted(ctx.signal) },
      auth(async () => {
        checks += 1
        if (failing(checks)) throw unavailable('iam_down', 'Down.')
        return identity
      }),
      20,
    )
    failing = (n) => n === 2
    const stream = client.watchRun({})[Symbol.asyncIterator]()
    await stream.next()
    const end = stream.next()
    end.catch(() => undefined)
    await expect.poll(() => checks).toBeGreaterThan(5)
    failing = () => true
    await expect(end).rejects.toMatchObject({ code: 'unavailable', reason: 'identity_unavailable' })
  })
})
