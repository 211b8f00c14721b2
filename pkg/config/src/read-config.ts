import { noteSettings, type Setting } from './setting.js'

export type Env = Readonly<Record<string, string | undefined>>

/** Reads one setting. A fault is a sentence that names the variable and says what would be right. */
export interface Field<T> {
  readonly name: string
  /** Every variable that it reads, for the configuration reference. */
  readonly settings: readonly Setting[]
  read(env: Env): { value: T } | { fault: string }
}

export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly faults: string[]

  constructor(faults: string[]) {
    super(`bad configuration:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`)
    this.faults = faults
  }
}

export type ConfigOf<S extends Record<string, Field<unknown>>> = {
  [K in keyof S]: S[K] extends Field<infer T> ? T : never
}

/** Reads every field and only then complains, so that one start shows every fault. */
export function readConfig<S extends Record<string, Field<unknown>>>(env: Env, fields: S): ConfigOf<S> {
  noteSettings(
    env,
    Object.values(fields).flatMap((field) => field.settings),
  )
  const faults: string[] = []
  const values: Record<string, unknown> = {}
  for (const [key, field] of Object.entries(fields)) {
    const result = field.read(env)
    if ('fault' in result) faults.push(result.fault)
    else values[key] = result.value
  }
  if (faults.length > 0) throw new ConfigError(faults)
  return values as ConfigOf<S>
}
