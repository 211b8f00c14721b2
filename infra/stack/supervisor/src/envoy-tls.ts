import { renameSync, writeFileSync } from 'node:fs'
import { type KeyPair, readKeyPair, type TlsFiles, watchKeyPair } from '@millrace/identity'
import type { Logger } from '@millrace/logger'
import { tlsSecretFile } from '../../../tooling/envoy-edge.mjs'

/** Gives Envoy the pair that is in the operator's files, and every later one that fits together; returns how to end it. */
export function keepTlsSecret(files: TlsFiles, path: string, logger: Logger): () => void {
  const write = ({ cert, key }: KeyPair): void => {
    const secret = tlsSecretFile({ cert: cert.toString(), key: key.toString() })
    writeFileSync(`${path}.new`, JSON.stringify(secret), { mode: 0o600 })
    renameSync(`${path}.new`, path)
  }
  write(readKeyPair(files))
  return watchKeyPair(files, write, logger)
}
