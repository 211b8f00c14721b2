import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { forgetFirstAdmin, leaveFirstAdmin, readFirstAdmin } from './first-admin.js'
import { loadSecrets } from './secrets.js'

let dataDir: string

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'millrace-secrets-'))
})

afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

test('secrets are made once, differ, and are private', () => {
  const secrets = loadSecrets(dataDir)
  expect(Buffer.from(secrets.masterKey, 'base64')).toHaveLength(32)
  expect(secrets.masterKey).not.toBe(secrets.serviceSecret)
  expect(loadSecrets(dataDir)).toEqual(secrets)
  expect(statSync(join(dataDir, 'secrets.json')).mode & 0o777).toBe(0o600)
})

test('a damaged file is an error and never replaced', () => {
  const file = join(dataDir, 'secrets.json')
  for (const damage of ['', '{', '{"masterKey":"short"}']) {
    writeFileSync(file, damage)
    expect(() => loadSecrets(dataDir)).toThrow(/damaged/)
  }
})

test('the first admin is kept until shown', () => {
  expect(readFirstAdmin(dataDir)).toBeUndefined()
  leaveFirstAdmin(dataDir, { email: 'a@b', generatedPassword: 'x' })
  expect(readFirstAdmin(dataDir)).toEqual({ email: 'a@b', generatedPassword: 'x' })
  forgetFirstAdmin(dataDir)
  expect(readFirstAdmin(dataDir)).toBeUndefined()
})
