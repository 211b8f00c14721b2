import { request } from 'node:http'
import { permissionDenied, unauthenticated, unavailable } from '@millrace/errors'
import type { Identity } from '@millrace/identity'
import { waitFor } from '@millrace/testkit'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Harness, identify, startHarness, testRoute } from './harness.js'

let harness: Harness
const path = '/watch'
const who: Partial<Identity> = { subject: 'user:1', userId: '1', projectId: 'p', role: 'viewer' }
let validate: () => Promise<Identity>
let asked = 0

beforeAll(async () => {
  harness = await startHarness({
    routes: [
      testRoute({ operationId: 'watch', path, stream: 'sse' }),
      testRoute({ operationId: 'stuck', path: '/stuck', stream: 'sse' }),
    ],
    handlers: {
      watch: ({ signal }) =>
        Promise.resolve({
          stream: async (res) => {
            res.writeHead(200, { 'content-type': 'text/event-stream' }).write(': open\n\n')
            await new Promise((resolve) => signal.addEventListener('abort', resolve))
          },
        }),
      stuck: () =>
        Promise.resolve({
          stream: async (res) => {
            res.writeHead(200).write('x')
            await new Promise((resolve) => res.once('close', resolve))
          },
        }),
    },
    recheck: {
      everyMs: 20,
      maxAgeMs: 3000,
      validateToken: () => {
        asked += 1
        return validate()
      },
    },
  })
})
afterAll(() => harness.server.stop())
beforeEach(() => {
  asked = 0
  validate = () => Promise.resolve(harness.authority.identity(who))
})

function open(target = path, headers: Record<string, string> = { authorization: 'Bearer t' }, as = who) {
  const state = { opened: false, ended: false }
  const req = request(
    {
      host: '127.0.0.1',
      port: harness.port,
      path: target,
      headers: { ...identify(harness.authority, 'GET', target, as), ...headers },
    },
    (res) => {
      state.opened = true
      res.resume()
      res.on('error', () => undefined)
      res.on('close', () => {
        state.ended = true
      })
    },
  )
  req.on('error', () => undefined)
  req.end()
  return { state, close: () => req.destroy() }
}

async function opened(...args: Parameters<typeof open>) {
  const stream = open(...args)
  await waitFor(() => stream.state.opened)
  return stream
}

describe('a live stream', () => {
  it('goes on while its caller may read', async () => {
    const { state, close } = await opened()
    await waitFor(() => asked > 5)
    expect(state.ended).toBe(false)
    close()
  })

  it.each([
    ['the token is refused', () => Promise.reject(unauthenticated('token_revoked', 'Revoked.'))],
    ['the project is closed to it', () => Promise.reject(permissionDenied('not_a_member', 'No.'))],
    [
      'the role no longer allows it',
      () => Promise.resolve(harness.authority.identity({ ...who, role: 'worker' as const })),
    ],
    ['the project is another', () => Promise.resolve(harness.authority.identity({ ...who, projectId: 'q' }))],
    ['the caller is another', () => Promise.resolve(harness.authority.identity({ ...who, subject: 'user:2' }))],
  ])('ends when %s', async (_name, change) => {
    const { state } = await opened()
    await waitFor(() => asked > 1)
    validate = change
    await waitFor(() => state.ended, { timeoutMs: 1000 })
  })

  it('outlives a short outage of iam', async () => {
    const { state, close } = await opened()
    validate = () => Promise.reject(unavailable('down', 'Down.'))
    asked = 0
    await waitFor(() => asked > 5)
    expect(state.ended).toBe(false)
    close()
  })

  it('ends with the signed identity where the credential is not passed on', async () => {
    const { state } = await opened(path, {}, { ...who, expiresAt: Math.floor(Date.now() / 1000) + 2 })
    await waitFor(() => state.ended, { timeoutMs: 2900 })
  })

  it('ends at its greatest age', async () => {
    const { state } = await opened()
    await waitFor(() => state.ended, { timeoutMs: 6000 })
  })

  it('is cut when its handler does not end it', async () => {
    const { state } = await opened('/stuck')
    validate = () => Promise.reject(unauthenticated('token_revoked', 'Revoked.'))
    await waitFor(() => state.ended, { timeoutMs: 4000 })
  })
})

it('a server with a live stream and no way to ask again does not start', () => {
  const route = testRoute({ operationId: 'watch', path, stream: 'ndjson' })
  const handlers = { watch: () => Promise.resolve({ status: 204 }) }
  return expect(startHarness({ routes: [route], handlers, recheck: undefined })).rejects.toThrow(/watch/)
})
