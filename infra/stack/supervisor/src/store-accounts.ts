import { createHmac } from 'node:crypto'
import { join } from 'node:path'
import type { MinioAccount, MinioOptions } from '@millrace/stack-servers'
import type { StackPorts } from './ports.js'

export interface StoreAccounts {
  /** With its root account, which no service is given. */
  minio: MinioOptions
  s3: MinioAccount
  mongo: { name: string; password: string }
}

/** Derived, as Kafka's are, so that nothing more is to be kept and every start means the same. */
export function storeAccounts(dataDir: string, ports: StackPorts, seed: string): StoreAccounts {
  const password = (name: string) => createHmac('sha256', seed).update(name).digest('base64url')
  return {
    minio: {
      directory: join(dataDir, 'minio'),
      port: ports.minio,
      accessKey: 'millrace',
      secretKey: password('minio/root'),
    },
    s3: { name: 'artifact', password: password('minio/artifact').slice(0, 40), bucket: 'millrace-artifacts' },
    mongo: { name: 'metadata', password: password('mongo/metadata') },
  }
}
