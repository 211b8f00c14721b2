import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { deriveKey } from '@millrace/config'
import { ServiceIdentity, serviceNames } from '@millrace/identity'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { parse } from 'yaml'
import { completeEnvFile, composeEnv, plainTextWarning, services } from './compose-env.mjs'

let folder: string
let file: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-env-'))
  file = join(folder, '.env')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const read = () => parseEnv(readFileSync(file, 'utf8')) as Record<string, string>

test('a fresh file is private and has a key pair of every service', () => {
  completeEnvFile(file)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const env = read()
  expect(services).toEqual([...serviceNames])
  const parse = (name: (typeof serviceNames)[number]) =>
    ServiceIdentity.parse(name, env[`${name.toUpperCase()}_SERVICE_KEY`] ?? '', env.MILLRACE_SERVICE_PUBLIC_KEYS ?? '')
  for (const name of serviceNames) expect(parse('iam').verify(parse(name).tokenFor('iam'))).toBe(name)
})

test('a file from before keeps what it has and gets the rest; a second time changes nothing', () => {
  const master = Buffer.alloc(32, 7)
  writeFileSync(
    file,
    `MILLRACE_SERVICE_SECRET=old\nPOSTGRES_PASSWORD=kept\nMILLRACE_MASTER_KEY=${master.toString('base64')}`,
  )
  expect(completeEnvFile(file)).toContain('MILLRACE_SERVICE_PUBLIC_KEYS')
  const env = read()
  expect(env).toMatchObject({ POSTGRES_PASSWORD: 'kept', MILLRACE_MASTER_KEY: master.toString('base64') })
  for (const name of ['MILLRACE_WORKFLOW_KEY', 'MILLRACE_NOTIFICATION_KEY', 'MILLRACE_ARTIFACT_KEY'] as const) {
    expect(env[name]).toBe(deriveKey(name, master).toString('base64'))
  }
  expect(completeEnvFile(file)).toBeUndefined()
  expect(read()).toEqual(env)
  expect(composeEnv(env)).toEqual({})
})

test('an address that others reach is warned of, from the file and from the environment, which counts first', () => {
  const warned = (environment: Record<string, string> = {}) => plainTextWarning(file, environment)
  expect(warned()).toBeUndefined()
  writeFileSync(file, 'MILLRACE_HOST=0.0.0.0\n')
  expect(warned()).toContain('on 0.0.0.0 without TLS')
  expect(warned({ MILLRACE_HOST: '127.0.0.1' })).toBeUndefined()
  expect(warned({ MILLRACE_HOST: '' })).toContain('0.0.0.0')
  writeFileSync(file, 'MILLRACE_HOST=\n')
  expect(warned()).toBeUndefined()
  expect(warned({ MILLRACE_HOST: '192.0.2.1' })).toContain('192.0.2.1')
})

test('containers log in the format that the collector reads', () => {
  const root = join(import.meta.dirname, '../..')
  const read = (path: string) => parse(readFileSync(join(root, path), 'utf8'), { merge: true })
  const { services } = read('compose.yml') as { services: Record<string, { logging?: { driver: string } }> }
  const { include } = read('infra/otel-collector/config.yaml').receivers.filelog as { include: string[] }
  expect(include).toEqual([expect.stringMatching(/-json\.log$/)])
  for (const [name, { logging }] of Object.entries(services))
    expect([name, logging?.driver]).toEqual([name, 'json-file'])
})
