import { randomBytes, randomUUID } from 'node:crypto'
import { v7 } from 'uuid'

/**
 * Time, timers and chance, as far as the engine knows them. Whoever owns these and the store owns every step the engine
 * takes, and can make it take the same ones again.
 */
export interface Environment {
  /** Monotonic milliseconds. */
  now(): number
  /** Milliseconds since 1970 by this machine's clock. */
  wallMs(): number
  /** Calls back once, after this many milliseconds; the answer calls it off. */
  after(delayMs: number, callback: () => void): () => void
  /** From 0 up to 1. */
  random(): number
  /** An id that sorts by the time of its making. */
  newId(): string
  /** An id that nobody can guess. */
  newSecretId(): string
  /** Nobody can guess it either. */
  newSecret(bytes: number): Buffer
}

export const realEnvironment: Environment = {
  now: () => performance.now(),
  wallMs: () => Date.now(),
  after: (delayMs, callback) => {
    const timer = setTimeout(callback, delayMs)
    return () => clearTimeout(timer)
  },
  random: () => Math.random(),
  newId: () => v7(),
  newSecretId: () => randomUUID(),
  newSecret: (bytes) => randomBytes(bytes),
}

export const sleep = (env: Environment, delayMs: number): Promise<void> =>
  new Promise((resolve) => {
    env.after(delayMs, resolve)
  })

/** For caches that forget by age. Their own clock would keep a real timer to spare reads of the time. */
export const ageBy = (env: Environment) => ({ perf: { now: () => env.now() }, ttlResolution: 0 })
