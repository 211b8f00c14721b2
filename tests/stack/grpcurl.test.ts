import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Account, newUser } from '../support/client.js'
import { Grpcurl, grpcurlBinary } from '../support/grpcurl.js'
import { callEverything, expectedRefusals, methodsOfPort, publicServices, refusals } from '../support/public-grpc.js'
import { startStandalone, startTarget, type Target, targetIsOwn } from '../support/target.js'

const targets: Record<string, () => Promise<Target>> = {
  'a standalone': () => startStandalone(),
  ...(targetIsOwn ? {} : { 'the stack, through Envoy': () => startTarget() }),
}

describe.each(Object.entries(targets))('grpcurl on %s', (_name, start) => {
  let target: Target
  let account: Account
  let grpcurl: Grpcurl

  beforeAll(async () => {
    const binary = await grpcurlBinary()
    target = await start()
    account = await newUser(target)
    grpcurl = new Grpcurl(binary, target.grpcAddress)
  })

  afterAll(() => target?.close())

  test('lists and describes every service of the public port, and every method', async () => {
    expect(await grpcurl.services()).toEqual(publicServices)
    for (const service of publicServices) {
      expect(await grpcurl.describe(service)).toContain(`${service} is a service`)
      for (const method of await grpcurl.methods(service)) {
        expect(await grpcurl.describe(method.replace('/', '.'))).toContain('is a method')
      }
    }
    expect(await grpcurl.describe('millrace.common.v1.Failure')).toContain('is a message')
  })

  test('calls every method, with the field names of the contracts', async () => {
    expect(await callEverything(grpcurl, account)).toEqual(await methodsOfPort(grpcurl))
  })

  test('is refused without a token, and told what is not there', async () => {
    expect(await refusals(grpcurl, account)).toEqual(expectedRefusals(await methodsOfPort(grpcurl)))
  })
})
