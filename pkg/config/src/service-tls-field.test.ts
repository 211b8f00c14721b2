import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { formatTrustedServices, generateServiceKeySet } from '@millrace/identity'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { issueCertificate, makeAuthority } from '../../../infra/tooling/service-certificates.mjs'
import { type Env, optionalServiceIdentity, serviceIdentity } from './index.js'

const folder = mkdtempSync(join(tmpdir(), 'millrace-tls-field-'))
const keys = generateServiceKeySet()
const identity = {
  MILLRACE_SERVICE_KEY: keys.iam.privateKey,
  MILLRACE_SERVICE_PUBLIC_KEYS: formatTrustedServices(keys),
}
const filesOf = (holder: string) => ({
  MILLRACE_TLS_SERVICE_CERT: join(folder, holder, 'tls.crt'),
  MILLRACE_TLS_SERVICE_KEY: join(folder, holder, 'tls.key'),
  MILLRACE_TLS_SERVICE_CA: join(folder, holder, 'ca.crt'),
})

beforeAll(() => {
  makeAuthority(join(folder, 'authority'))
  for (const holder of ['iam', 'workflow']) issueCertificate(join(folder, 'authority'), join(folder, holder), holder)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const read = (env: Env) => serviceIdentity('iam').read({ ...identity, ...env })

test('without certificates there is no TLS, and with three files there is', () => {
  expect(read({})).toMatchObject({ value: { tls: undefined } })
  const found = read({ ...filesOf('iam'), MILLRACE_SERVICE_PROBE_PORT: '9464' })
  expect(found).toMatchObject({ value: { tls: { name: 'iam', probePort: 9464 } } })
})

test.each(['CERT', 'KEY', 'CA'])('half of them without %s says what is missing', (part) => {
  const fault = { fault: expect.stringContaining(`MILLRACE_TLS_SERVICE_${part} is missing`) }
  expect(read({ ...filesOf('iam'), [`MILLRACE_TLS_SERVICE_${part}`]: '' })).toEqual(fault)
})

test('files that are not there, do not fit or are another service’s are refused', () => {
  const own = filesOf('iam')
  const other = filesOf('workflow')
  const faulty = join(folder, 'nothing.pem')
  writeFileSync(faulty, 'nothing')
  const faultOf = (env: Env) => (read(env) as { fault?: string }).fault
  expect(faultOf({ ...own, MILLRACE_TLS_SERVICE_CERT: '/nowhere/tls.crt' })).toContain('/nowhere/tls.crt')
  expect(faultOf({ ...own, MILLRACE_TLS_SERVICE_KEY: other.MILLRACE_TLS_SERVICE_KEY })).toContain('cannot be used')
  expect(faultOf({ ...own, MILLRACE_TLS_SERVICE_CA: faulty })).toContain('cannot be used')
  expect(faultOf(other)).toContain('no DNS name iam.millrace.internal')
})

test('a port for probes without TLS is refused, and so is a certificate without a service’s key', () => {
  expect(read({ MILLRACE_SERVICE_PROBE_PORT: '9464' })).toEqual({
    fault: expect.stringContaining('MILLRACE_SERVICE_PROBE_PORT'),
  })
  expect(optionalServiceIdentity('workflow').read({})).toEqual({ value: undefined })
  expect(optionalServiceIdentity('workflow').read(filesOf('workflow'))).toEqual({
    fault: expect.stringContaining('MILLRACE_SERVICE_KEY is required'),
  })
})
