import { hkdfSync, randomBytes } from 'node:crypto'
import { seal, unseal } from './seal.js'

export interface SealedSecret {
  wrappedKey: Buffer
  sealed: Buffer
}

export interface SecretAddress {
  projectId: string
  name: string
}

/** Encrypts users' secrets. Whoever has the database but not the master key has nothing. */
export class SecretVault {
  private readonly wrappingKey: Buffer

  /** The wrapping key is derived, so the same master key may serve other purposes elsewhere. */
  constructor(masterKey: Buffer) {
    this.wrappingKey = Buffer.from(hkdfSync('sha256', masterKey, '', 'millrace/iam/secrets', 32))
  }

  /** A new data key each time: the same value stored twice looks different. */
  seal(address: SecretAddress, value: string): SealedSecret {
    const dataKey = randomBytes(32)
    return {
      wrappedKey: seal(this.wrappingKey, contextOf('key', address), dataKey.toString('base64')),
      sealed: seal(dataKey, contextOf('value', address), value),
    }
  }

  /** Throws when the master key is another, or the row was changed or moved. */
  open(address: SecretAddress, { wrappedKey, sealed }: SealedSecret): string {
    const dataKey = Buffer.from(unseal(this.wrappingKey, contextOf('key', address), wrappedKey), 'base64')
    return unseal(dataKey, contextOf('value', address), sealed)
  }
}

const contextOf = (part: 'key' | 'value', { projectId, name }: SecretAddress): string =>
  `secret/${part}/${projectId}/${name}`
