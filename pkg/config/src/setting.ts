import type { Env } from './read-config.js'

export type SettingKind =
  | 'text'
  | 'integer'
  | 'boolean'
  | 'duration'
  | 'url'
  | 'address'
  | 'list'
  | 'choice'
  | 'secret'
  | 'key'

/** What is known of one variable without reading it. */
export interface Setting {
  name: string
  kind: SettingKind
  required: boolean
  /** Undefined where there is none, or where it follows from other settings. */
  default: unknown
  min?: number
  max?: number
  values?: readonly string[]
}

const notes = new WeakMap<Env, Setting[]>()

export function noteSettings(env: Env, settings: readonly Setting[]): void {
  notes.get(env)?.push(...settings)
}

/**
 * Every variable that a reader of configuration asks for. The reader runs on an empty environment that takes notes, so
 * that no list beside the code can be out of date. `undeclared` are names that it read past its fields.
 */
export function settingsOf(read: (env: Env) => unknown): { settings: Setting[]; undeclared: string[] } {
  const asked = new Set<string>()
  const settings: Setting[] = []
  const env: Env = new Proxy({} as Record<string, string | undefined>, {
    get: (_, name) => {
      asked.add(String(name))
      return undefined
    },
  })
  notes.set(env, settings)
  try {
    read(env)
  } catch {
    // Faults are expected: nothing is set.
  }
  const declared = new Set(settings.map(({ name }) => name))
  return { settings, undeclared: [...asked].filter((name) => !declared.has(name)) }
}
