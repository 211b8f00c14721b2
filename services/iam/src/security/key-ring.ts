import { createPublicKey, generateKeyPair, type KeyObject, randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import { conflict } from '@millrace/errors'
import { recordAudit } from '@millrace/events'
import { type JwksDocument, jwkOf, type SigningKey } from '@millrace/identity'
import type { Logger } from '@millrace/logger'
import { type Pool, type Tx, withTransaction } from '@millrace/postgres'
import {
  deleteRetiredKeys,
  insertSigningKey,
  listSigningKeys,
  lockKeyAges,
  type NewSigningKey,
  type SigningKeyRow,
} from '../db/signing-keys.js'
import { type SealingKeys, seal, unsealAny } from './seal.js'

export interface KeyRingOptions {
  pool: Pool
  logger: Logger
  masterKeys: SealingKeys
  /** A key is replaced when it is this old. */
  rotationMs: number
  /** A new key is published this long before it signs, so that every verifier has seen it by then. */
  leadMs: number
  /** How often keys made by other replicas are looked for; well below the lead. */
  reloadMs: number
  /** Longest life of anything signed. */
  outliveMs: number
}

interface Known {
  signing: SigningKey
  publicKey: KeyObject
  row: SigningKeyRow
}

const byItself = { projectId: '', actor: 'service:iam', action: 'signing_key.created', ip: '', requestId: '' }

const generate = promisify(generateKeyPair)

async function makeKey(masterKey: Buffer, leadMs: number): Promise<NewSigningKey> {
  const kid = randomBytes(9).toString('base64url')
  const pair = await generate('ec', {
    namedCurve: 'P-256',
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
  return { kid, publicPem: pair.publicKey, privateSealed: seal(masterKey, kid, pair.privateKey), leadMs }
}

export class MasterKeyError extends Error {
  override readonly name = 'MasterKeyError'
  constructor(kid: string, cause: unknown) {
    super(
      `the master key does not open signing key ${kid}: start with the MILLRACE_MASTER_KEY that this database was made with`,
      { cause },
    )
  }
}

/** The keys that sign access tokens and identities. Their truth is in the database; this holds them opened. */
export class KeyRing {
  private known = new Map<string, Known>()
  private current: SigningKey | undefined
  private document: JwksDocument = { keys: [] }
  private timer: NodeJS.Timeout | undefined
  private reloading: Promise<void> | undefined

  constructor(private readonly options: KeyRingOptions) {}

  async start(): Promise<void> {
    await this.rotateIfDue()
    await this.reload()
    this.timer = setInterval(() => {
      this.rotateIfDue()
        .then(() => this.reload())
        .catch((error: unknown) => this.options.logger.warn({ err: error }, 'signing keys could not be refreshed'))
    }, this.options.reloadMs)
    this.timer.unref()
  }

  async stop(): Promise<void> {
    clearInterval(this.timer)
    await this.reloading?.catch(() => undefined)
  }

  get signingKey(): SigningKey {
    if (!this.current) throw new Error('no signing key is loaded')
    return this.current
  }

  get jwks(): JwksDocument {
    return this.document
  }

  publicKey(kid: string): KeyObject | undefined {
    return this.known.get(kid)?.publicKey
  }

  reload(): Promise<void> {
    this.reloading ??= this.load().finally(() => {
      this.reloading = undefined
    })
    return this.reloading
  }

  private async load(): Promise<void> {
    const rows = await listSigningKeys(this.options.pool)
    this.known = new Map(rows.map((row) => [row.kid, this.known.get(row.kid) ?? this.open(row)]))
    this.document = { keys: rows.map((row) => jwkOf(row.publicPem, row.kid)) }
    const active = rows.find((row) => row.active)
    this.current = active && this.known.get(active.kid)?.signing
  }

  private open(row: SigningKeyRow): Known {
    try {
      const privateKeyPem = unsealAny(this.options.masterKeys, row.kid, row.privateSealed)
      return { row, publicKey: createPublicKey(row.publicPem), signing: { kid: row.kid, privateKeyPem } }
    } catch (error) {
      throw new MasterKeyError(row.kid, error)
    }
  }

  private async rotateIfDue(): Promise<void> {
    const { pool, masterKeys, rotationMs, leadMs, outliveMs, logger } = this.options
    const { row } = this.newest() ?? {}
    // Most ticks end here, without a transaction.
    if (row && Date.now() - row.createdAt.getTime() < Math.min(rotationMs, outliveMs) && this.known.size === 1) return
    await withTransaction(pool, async (tx) => {
      const { newestAgeMs } = await lockKeyAges(tx)
      await deleteRetiredKeys(tx, outliveMs)
      if (newestAgeMs !== null && newestAgeMs < rotationMs) return
      const key = await makeKey(masterKeys[0], newestAgeMs === null ? 0 : leadMs)
      await insertSigningKey(tx, key)
      await recordAudit(tx, 'iam', { ...byItself, target: key.kid })
      logger.info({ kid: key.kid }, 'signing key made')
    })
  }

  /**
   * A new key at once, whatever the age of the last: published now, in use after the lead, and the one before stays for as
   * long as what it signed lives. `record` joins the transaction. One at a time, so that keys cannot pile up.
   */
  async rotate(record: (tx: Tx, kid: string) => Promise<void>): Promise<{ kid: string; activeFrom: Date }> {
    const { pool, masterKeys, leadMs, outliveMs, logger } = this.options
    const made = await withTransaction(pool, async (tx) => {
      await lockKeyAges(tx)
      await deleteRetiredKeys(tx, outliveMs)
      const [newest] = await listSigningKeys(tx)
      if (newest && !newest.active) throw conflict('rotation_in_progress', 'The newest key is not in use yet.')
      const { kid, ...key } = await makeKey(masterKeys[0], leadMs)
      await insertSigningKey(tx, { kid, ...key })
      await record(tx, kid)
      const row = (await listSigningKeys(tx)).find((one) => one.kid === kid)
      return { kid, activeFrom: row?.activeFrom ?? new Date() }
    })
    await this.reload()
    logger.info({ kid: made.kid }, 'signing key made, as asked for')
    return made
  }

  private newest(): Known | undefined {
    let newest: Known | undefined
    for (const known of this.known.values()) {
      if (!newest || known.row.createdAt > newest.row.createdAt) newest = known
    }
    return newest
  }
}
