import { randomBytes } from 'node:crypto'
import { rateLimited } from '@millrace/errors'
import { hash, verify } from '@node-rs/argon2'

export interface PasswordCost {
  memoryKib: number
  passes: number
}

export interface PasswordHasher {
  hash(password: string): Promise<string>
  /** An unknown account costs the same: pass undefined and it is compared with a hash that nothing matches. */
  verify(stored: string | undefined, password: string): Promise<boolean>
}

/** Hashes queue for the few threads that compute them: beyond this an answer would come too late to be of use. */
const MAX_WAITING = 256

export async function createPasswordHasher(cost: PasswordCost): Promise<PasswordHasher> {
  // The library's default algorithm is argon2id; a test holds it to that.
  const options = { memoryCost: cost.memoryKib, timeCost: cost.passes, parallelism: 1 }
  const nobody = await hash(randomBytes(32).toString('hex'), options)
  let waiting = 0

  async function limited<T>(work: () => Promise<T>): Promise<T> {
    if (waiting >= MAX_WAITING) throw rateLimited('too_many_logins', 'Too many logins at once. Try again shortly.', 1)
    waiting += 1
    try {
      return await work()
    } finally {
      waiting -= 1
    }
  }

  return {
    hash: (password) => limited(() => hash(password, options)),
    verify: (stored, password) =>
      limited(async () => (await verify(stored ?? nobody, password)) && stored !== undefined),
  }
}
