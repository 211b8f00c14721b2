import { readFileSync, unwatchFile, watchFile } from 'node:fs'
import { createSecureContext } from 'node:tls'

export interface TlsFiles {
  /** PEM: the certificate and what leads from it to its authority. */
  readonly cert: string
  readonly key: string
}

export interface KeyPair {
  readonly cert: Buffer
  readonly key: Buffer
}

/** Throws when a file is missing or the two do not belong together. */
export function readKeyPair(files: TlsFiles): KeyPair {
  const pair = { cert: readFileSync(files.cert), key: readFileSync(files.key) }
  createSecureContext(pair)
  return pair
}

const LOOK_MS = 2000

/** Of a logger, what is needed here. */
export interface TlsLog {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
}

/** While only one of the two is new they do not fit together, and what was in use goes on. */
export function watchKeyPair(files: TlsFiles, use: (pair: KeyPair) => void, logger: TlsLog): () => void {
  return watchTlsFiles([files.cert, files.key], () => use(readKeyPair(files)), logger)
}

/**
 * Asks for the files' state rather than for events: certificates are often replaced through links, of which events say
 * nothing. `load` throws when what the files hold cannot be used.
 */
export function watchTlsFiles(names: readonly string[], load: () => void, logger: TlsLog): () => void {
  const reload = (): void => {
    try {
      load()
      logger.info({ cert: names[0] }, 'TLS certificate loaded anew')
    } catch (error) {
      logger.warn({ err: error }, 'the TLS files have changed and cannot be used; the certificate before them goes on')
    }
  }
  for (const name of names) watchFile(name, { interval: LOOK_MS, persistent: false }, reload)
  return () => {
    for (const name of names) unwatchFile(name, reload)
  }
}
