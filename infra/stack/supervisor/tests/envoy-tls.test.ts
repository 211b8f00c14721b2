import { copyFileSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { testLogger, waitFor } from '@millrace/testkit'
import { expect, onTestFinished, test } from 'vitest'
import { keepTlsSecret } from '../src/index.js'

const fixture = (name: string) =>
  join(import.meta.dirname, '..', '..', '..', '..', 'services/standalone/tests/fixtures', `${name}.pem`)

test('Envoy gets certificate and key in one private file, a new pair once the two fit together', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-envoy-tls-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const files = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') }
  const path = join(folder, 'secret.json')
  const holds = (name: string) => {
    const secret = JSON.stringify(JSON.parse(readFileSync(path, 'utf8')))
    return ['cert', 'key'].map((kind) =>
      secret.includes(JSON.stringify(readFileSync(fixture(`${name}.${kind}`), 'utf8'))),
    )
  }
  copyFileSync(fixture('first.cert'), files.cert)
  copyFileSync(fixture('first.key'), files.key)
  onTestFinished(keepTlsSecret(files, path, testLogger))
  expect([holds('first'), statSync(path).mode & 0o777]).toEqual([[true, true], 0o600])
  copyFileSync(fixture('second.cert'), files.cert)
  expect(holds('first')).toEqual([true, true])
  copyFileSync(fixture('second.key'), files.key)
  await waitFor(async () => holds('second').every(Boolean), { timeoutMs: 30_000 })
})

test('files that are missing or do not fit keep the stack from starting', () => {
  const pair = { cert: fixture('first.cert'), key: fixture('second.key') }
  expect(() => keepTlsSecret(pair, '/nowhere/secret.json', testLogger)).toThrow()
})
