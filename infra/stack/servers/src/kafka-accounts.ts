import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runTool } from './run-tool.js'

export interface KafkaAccounts {
  /** Of `admin`, who may do everything: the broker itself, and whoever makes topics, accounts and rights. */
  adminPassword: string
  /** Passwords by name; what these may do is told by ACLs alone. */
  users: Readonly<Record<string, string>>
}

const program = fileURLToPath(new URL('../kafka/PrepareAccounts.java', import.meta.url))
const plainLogin = 'org.apache.kafka.common.security.plain.PlainLoginModule required'

export const kafkaAdmin = (password: string) => ({ mechanism: 'plain' as const, username: 'admin', password })

/**
 * `admin` is known to the broker from its configuration (PLAIN), which works on storage that was formatted before there
 * were accounts; everybody else is kept in the cluster (SCRAM). The controller asks for a password too: who reached it
 * without one could change any right.
 */
export function accountProperties({ adminPassword }: KafkaAccounts): string {
  const admin = `${plainLogin} username="admin" password="${adminPassword}" user_admin="${adminPassword}";`
  return `sasl.enabled.mechanisms=SCRAM-SHA-512,PLAIN
sasl.mechanism.inter.broker.protocol=PLAIN
listener.name.broker.plain.sasl.jaas.config=${admin}
listener.name.broker.scram-sha-512.sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required;
sasl.mechanism.controller.protocol=PLAIN
listener.name.controller.sasl.enabled.mechanisms=PLAIN
listener.name.controller.plain.sasl.jaas.config=${admin}
authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer
super.users=User:admin
allow.everyone.if.no.acl.found=false
`
}

/** Once for each set of passwords: a start that changes nothing costs nothing. */
export async function prepareKafkaAccounts(
  { directory, address, classPath }: { directory: string; address: string; classPath: string },
  { adminPassword, users }: KafkaAccounts,
): Promise<void> {
  const marker = join(directory, 'accounts')
  const wanted = createHash('sha256').update(JSON.stringify(users)).digest('hex')
  if ((await readFile(marker, 'utf8').catch(() => '')) === wanted) return
  const config = join(directory, 'admin.properties')
  const login = `${plainLogin} username="admin" password="${adminPassword}";`
  const properties = `bootstrap.servers=${address}\nsecurity.protocol=SASL_PLAINTEXT\nsasl.mechanism=PLAIN\n`
  await writeFile(config, `${properties}sasl.jaas.config=${login}\n`, { mode: 0o600 })
  const input = Object.entries(users).map(([name, password]) => `${name} ${password}\n`)
  const args = ['-XX:TieredStopAtLevel=1', '-cp', classPath, program, config]
  await runTool('java', args, { purpose: 'to make the accounts of Kafka', input: input.join('') })
  await writeFile(marker, wanted, { mode: 0o600 })
}
