import { randomUUID } from 'node:crypto'
import * as contracts from '@millrace/contracts'
import { roleAllows } from '@millrace/identity'
import { type Route, routes } from '@millrace/routes'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Account, Client, newUser } from './support/client.js'
import { type GrpcMethod, grpcStatus, methodsOf, someId } from './support/grpc-calls.js'
import { bad, type Kind, kinds, makeExpiredToken, makePrincipals, type Principal } from './support/principals.js'
import type { rank } from './support/role-calls.js'
import { fillPath, title } from './support/route-calls.js'
import { startTarget, type Target, targetIsOwn } from './support/target.js'

/**
 * Every route and every gRPC method, asked by everyone. The answers are computed from the route table. A request that is
 * let in carries a parameter that no route has: it is refused as such (422), after every check of the caller and before
 * anything is done.
 */
let target: Target
let owner: Account
let principals: Record<Kind, Principal>

beforeAll(async () => {
  target = await startTarget({ MILLRACE_ACCESS_TOKEN_TTL: '1s' })
  const expiredToken = await makeExpiredToken(target)
  owner = await newUser(target)
  principals = await makePrincipals(target, owner, expiredToken)
}, 180_000)

afterAll(() => target?.close())

const closed = routes.filter(({ access, anyQuery }) => access !== 'open' && !anyQuery)
const open = routes.filter(({ access }) => access === 'open')
const isBad = (kind: Kind): boolean => (bad as readonly string[]).includes(kind)

type Cell = '401' | '403' | '404 project_not_found' | 'let in'

function expected({ access, workers, admins, projectParam }: Route, kind: Kind): Cell {
  if (isBad(kind)) return '401'
  if (kind === 'other project') return '404 project_not_found'
  if (kind === 'admin') return projectParam !== undefined && !admins ? '404 project_not_found' : 'let in'
  if (access === 'user' || access === 'open') return 'let in'
  if (access === 'admin') return '403'
  if (kind === 'worker key') return workers ? 'let in' : '403'
  return roleAllows(kind as (typeof rank)[number], access) ? 'let in' : '403'
}

async function found(route: Route, { token, project }: Principal): Promise<string> {
  const params = { id: randomUUID(), name: 'some', slug: owner.project.slug, userId: randomUUID(), token: 'x' }
  const path = fillPath(route, params)
  const base = new Client(target.url, token)
  const caller = project === undefined ? base : base.in(project)
  const reply = await caller.call<{ code?: string }>(
    route.method,
    `${path}${path.includes('?') ? '&' : '?'}not-a-parameter=1`,
  )
  const code = reply.body?.code ?? ''
  if (reply.status === 401 || reply.status === 403) return String(reply.status)
  return code === 'unknown_parameter' ? 'let in' : `${reply.status} ${code}`
}

/** A few at a time: the whole table takes seconds, and neither gateway is put under load. */
async function forAll<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  for (let at = 0; at < items.length; at += 12) {
    results.push(...(await Promise.all(items.slice(at, at + 12).map(work))))
  }
  return results
}

/** A token that has expired takes a deployment that gives out short ones. */
const asked = kinds.filter((kind) => targetIsOwn || kind !== 'expired token')

describe.each(asked)('%s', (kind) => {
  test('finds every route as the table says', async () => {
    const principal = principals[kind]
    const answers = await forAll(closed, (route) => found(route, principal))
    const wrong = closed.flatMap((route, at) => {
      const [want, got] = [expected(route, kind), answers[at]]
      return want === got ? [] : [`${title(route)}: ${got} instead of ${want}`]
    })
    expect(wrong).toEqual([])
  }, 60_000)

  test('finds every open route as somebody without a credential does', async () => {
    const [answers, ofNobody] = [principals[kind], principals.none].map((principal) =>
      forAll(open, async (route) => `${title(route)}: ${await found(route, principal)}`),
    )
    expect(await answers).toEqual(await ofNobody)
    expect((await ofNobody)?.filter((answer) => answer.endsWith(': let in')).length).toBeGreaterThan(5)
    expect((await answers)?.filter((answer) => /: 5\d\d /.test(answer))).toEqual([])
  }, 60_000)

  test('finds every gRPC method as it should be', async () => {
    const answers = await forAll(methods, (method) => grpcStatus(target.grpcAddress, method, principals[kind]))
    const wrong = methods.flatMap((method, at) => {
      const got = answers[at] ?? -1
      return expectedOfGrpc(method, kind).includes(got) ? [] : [`${method.path}: status ${got}`]
    })
    expect(wrong).toEqual([])
  }, 60_000)
})

const UNIMPLEMENTED = 12
const NOT_FOUND = 5
const PERMISSION_DENIED = 7
const UNAUTHENTICATED = 16
/** Let in: an empty request is then refused, finds nothing, or waits until the deadline. */
const LET_IN = [0, 3, 4, 5, 9, 13]

const queries = methodsOf(contracts.schedulerServiceDefinition, someId)
const dispatch = methodsOf(contracts.dispatchDefinition)
const logs = methodsOf(contracts.logServiceDefinition)
const inside = [
  contracts.iamServiceDefinition,
  contracts.authorizationDefinition,
  contracts.workflowServiceDefinition,
  contracts.schedulerInternalDefinition,
  contracts.scheduleServiceDefinition,
  contracts.controlServiceDefinition,
  contracts.workerServiceDefinition,
].flatMap((contract) => methodsOf(contract))
const methods = [...queries, ...dispatch, ...logs, ...inside]

function expectedOfGrpc(method: GrpcMethod, kind: Kind): readonly number[] {
  if (inside.includes(method)) return [UNIMPLEMENTED, UNAUTHENTICATED, NOT_FOUND]
  if (isBad(kind)) return [UNAUTHENTICATED]
  if (kind === 'other project') return [UNAUTHENTICATED, PERMISSION_DENIED, NOT_FOUND]
  const worker = kind === 'worker key'
  if (dispatch.includes(method)) return worker ? LET_IN : [PERMISSION_DENIED]
  if (queries.includes(method)) return worker ? [PERMISSION_DENIED] : LET_IN
  return worker || ['editor', 'owner', 'admin'].includes(kind) ? LET_IN : [PERMISSION_DENIED]
}
