import { randomBytes } from 'node:crypto'
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { StartupError } from './startup-error.js'

export interface Secrets {
  masterKey: string
  serviceSecret: string
  objectStoreKey: string
}

const names = ['masterKey', 'serviceSecret', 'objectStoreKey'] as const

/** Made once and kept in the data dir. Losing the master key loses what it encrypts, so a broken file is never remade. */
export function loadSecrets(dataDir: string): Secrets {
  const file = join(dataDir, 'secrets.json')
  if (!existsSync(file)) {
    const made = Object.fromEntries(names.map((name) => [name, randomBytes(32).toString('base64')]))
    writePrivateFile(file, `${JSON.stringify(made, null, 2)}\n`)
  }
  const secrets = parse(file)
  if (names.every((name) => typeof secrets[name] === 'string' && secrets[name].length >= 32)) return secrets as Secrets
  throw new StartupError(
    `${file} is damaged. Restore it from a backup; without it the stored keys and secrets cannot be read.`,
  )
}

function parse(file: string): Partial<Secrets> {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Partial<Secrets>
  } catch {
    return {}
  }
}

export interface AdminCredentials {
  email: string
  password: string
}

/**
 * The first admin's password is kept until it has been shown: a crash between making the account and printing must not
 * lose it. Afterwards only the mark stays, and later starts show nothing.
 */
export class AdminIntroduction {
  private readonly pending: string
  private readonly mark: string

  constructor(dataDir: string) {
    this.pending = join(dataDir, 'first-admin.json')
    this.mark = join(dataDir, 'first-admin-shown')
  }

  /** undefined once shown. */
  prepare(email: string, password: string | undefined): AdminCredentials | undefined {
    if (existsSync(this.mark)) return undefined
    if (!existsSync(this.pending)) {
      const generated = randomBytes(18).toString('base64url')
      writePrivateFile(this.pending, JSON.stringify({ email, password: password ?? generated }))
    }
    return JSON.parse(readFileSync(this.pending, 'utf8')) as AdminCredentials
  }

  shown(): void {
    writePrivateFile(this.mark, '')
    rmSync(this.pending, { force: true })
  }
}

function writePrivateFile(file: string, text: string): void {
  const draft = `${file}.new`
  const descriptor = openSync(draft, 'w', 0o600)
  try {
    writeSync(descriptor, text)
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
  renameSync(draft, file)
}
