import { hkdfSync } from 'node:crypto'
import { masterKey } from './fields.js'
import type { Env, Field } from './read-config.js'

/** What each service that encrypts or signs for itself is given in place of the master key. */
const purposes = {
  MILLRACE_NOTIFICATION_KEY: 'millrace/notification/subscriptions',
  MILLRACE_WORKFLOW_KEY: 'millrace/workflow/hooks',
  MILLRACE_ARTIFACT_KEY: 'millrace artifact signed urls',
} as const

export type DerivedKeyName = keyof typeof purposes

export function deriveKey(name: DerivedKeyName, master: Buffer): Buffer {
  return Buffer.from(hkdfSync('sha256', master, '', purposes[name], 32))
}

/** The key itself, or the master key that it is derived from, as installations from before it had. */
export function derivedKey<D extends Buffer | undefined = Buffer>(
  name: DerivedKeyName,
  options: { default?: D } = {},
): Field<Buffer | D> {
  const own = masterKey<Buffer | undefined>(name, { default: undefined })
  const master = masterKey<Buffer | undefined>('MILLRACE_MASTER_KEY', { default: undefined })
  return {
    name,
    settings: [...own.settings, ...master.settings],
    read(env: Env) {
      const given = own.read(env)
      if ('fault' in given || given.value !== undefined) return given as { value: Buffer } | { fault: string }
      const from = master.read(env)
      if ('fault' in from) return from
      if (from.value !== undefined) return { value: deriveKey(name, from.value) }
      return 'default' in options ? { value: options.default as D } : { fault: `${name} is required` }
    },
  }
}

/**
 * The key before, while what it sealed is sealed anew: it opens and never seals. Given itself, or derived from the
 * master key before.
 */
export function previousKey(name: DerivedKeyName): Field<Buffer | undefined> {
  const own = masterKey<Buffer | undefined>(`${name}_PREVIOUS`, { default: undefined })
  const master = masterKey<Buffer | undefined>('MILLRACE_MASTER_KEY_PREVIOUS', { default: undefined })
  return {
    name: `${name}_PREVIOUS`,
    settings: [...own.settings, ...master.settings],
    read(env: Env) {
      const given = own.read(env)
      if ('fault' in given || given.value !== undefined) return given
      const from = master.read(env)
      if ('fault' in from || from.value === undefined) return from
      return { value: deriveKey(name, from.value) }
    },
  }
}
