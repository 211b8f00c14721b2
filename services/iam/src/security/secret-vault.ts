import { randomBytes } from 'node:crypto'
import { derived, reseal, type SealingKeys, seal, unseal, unsealAny } from './seal.js'

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
  private readonly wrappingKeys: SealingKeys

  constructor(masterKeys: SealingKeys) {
    this.wrappingKeys = derived(masterKeys, 'millrace/iam/secrets')
  }

  /** A new data key each time: the same value stored twice looks different. */
  seal(address: SecretAddress, value: string): SealedSecret {
    const dataKey = randomBytes(32)
    return {
      wrappedKey: seal(this.wrappingKeys[0], contextOf('key', address), dataKey.toString('base64')),
      sealed: seal(dataKey, contextOf('value', address), value),
    }
  }

  /** Throws when the master key is another, or the row was changed or moved. */
  open(address: SecretAddress, { wrappedKey, sealed }: SealedSecret): string {
    const dataKey = Buffer.from(unsealAny(this.wrappingKeys, contextOf('key', address), wrappedKey), 'base64')
    return unseal(dataKey, contextOf('value', address), sealed)
  }

  /** The data key under the present master key; undefined where it is already. */
  rewrap(address: SecretAddress, wrappedKey: Buffer): Buffer | undefined {
    return reseal(this.wrappingKeys, contextOf('key', address), wrappedKey)
  }
}

const contextOf = (part: 'key' | 'value', { projectId, name }: SecretAddress): string =>
  `secret/${part}/${projectId}/${name}`
