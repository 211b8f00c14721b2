import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { writePrivateFile } from './private-file.js'
import { StartupError } from './startup-error.js'

export interface Secrets {
  masterKey: string
  /** Passwords of accounts at servers that the supervisor starts are derived from it. */
  serviceSecret: string
}

const names = ['masterKey', 'serviceSecret'] as const

/** Made once and kept in the data dir. Losing the master key loses what it encrypts, so a broken file is never remade. */
export function loadSecrets(dataDir: string): Secrets {
  const file = join(dataDir, 'secrets.json')
  if (!existsSync(file)) write(file, makeSecret())
  const secrets = parse(file)
  if (names.every((name) => typeof secrets[name] === 'string' && secrets[name].length >= 32)) return secrets as Secrets
  throw new StartupError(
    `${file} is damaged. Restore it from a backup; without it the stored keys and secrets cannot be read.`,
  )
}

/** Of a place whose data are taken over. Everything else is made new. */
export function adoptMasterKey(dataDir: string, masterKey: string): void {
  write(join(dataDir, 'secrets.json'), masterKey)
}

const makeSecret = (): string => randomBytes(32).toString('base64')

function write(file: string, masterKey: string): void {
  const secrets: Secrets = { masterKey, serviceSecret: makeSecret() }
  writePrivateFile(file, `${JSON.stringify(secrets, null, 2)}\n`)
}

function parse(file: string): Partial<Secrets> {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Partial<Secrets>
  } catch {
    return {}
  }
}
