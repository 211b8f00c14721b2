import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Account, newUser } from './support/client.js'
import { callEverything, expectedRefusals, methodsOfPort, publicServices, refusals } from './support/public-grpc.js'
import { ReflectedGrpc } from './support/reflected-grpc.js'
import { startTarget, type Target } from './support/target.js'

let target: Target
let account: Account
let caller: ReflectedGrpc

beforeAll(async () => {
  target = await startTarget()
  account = await newUser(target)
  caller = new ReflectedGrpc(target.grpcAddress)
}, 180_000)

afterAll(() => target?.close())

test('a client that knows reflection alone finds every service of the public port, and calls every method', async () => {
  expect((await caller.services()).sort()).toEqual(publicServices)
  const methods = await methodsOfPort(caller)
  expect(await callEverything(caller, account)).toEqual(methods)
}, 120_000)

test('nothing but health and reflection answers without a token, and what is not there is not found', async () => {
  expect(await refusals(caller, account)).toEqual(expectedRefusals(await methodsOfPort(caller)))
}, 120_000)
