import { masterKey, readConfig, url } from '@millrace/config'
import { AUDIT_SCHEMA } from '@millrace/events'
import { createPool } from '@millrace/postgres'
import { AuditChain } from './security/audit-chain.js'
import { verifyChain } from './verify-chain.js'

// Reads the audit log through without the service, of a running database or of a restored backup. Ends with 1 where the
// log is not as it was written.
const config = readConfig(process.env, {
  databaseUrl: url<string>('DATABASE_URL', { protocols: ['postgres', 'postgresql'] }),
  masterKey: masterKey<Buffer>('MILLRACE_MASTER_KEY'),
  previous: masterKey('MILLRACE_MASTER_KEY_PREVIOUS', { default: undefined }),
})
const pool = createPool({ connectionString: config.databaseUrl, schema: 'iam', alsoIn: AUDIT_SCHEMA, max: 1 })
try {
  const { masterKey: present, previous } = config
  const verified = await verifyChain(pool, new AuditChain(previous ? [present, previous] : [present]))
  process.stdout.write(`${JSON.stringify(verified)}\n`)
  process.exitCode = verified.intact ? 0 : 1
} finally {
  await pool.end()
}
