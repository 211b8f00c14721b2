import type { Env, Field } from './read-config.js'
import type { Setting, SettingKind } from './setting.js'

interface Options<T> {
  default?: T
}

type Parsed<T> = { value: T } | { wanted: string }

/** An unset or blank variable takes the default; a malformed one is a fault and never the default. */
function field<T>(
  name: string,
  kind: SettingKind,
  options: Options<T> & Pick<Setting, 'min' | 'max' | 'values'>,
  parse: (raw: string) => Parsed<T>,
  hide = false,
): Field<T> {
  return {
    name,
    settings: [settingOf(name, kind, options)],
    read(env: Env) {
      const raw = env[name]?.trim()
      if (raw === undefined || raw === '') {
        if ('default' in options) return { value: options.default as T }
        return { fault: `${name} is required` }
      }
      const parsed = parse(raw)
      if ('value' in parsed) return parsed
      return { fault: hide ? `${name} must be ${parsed.wanted}` : `${name} must be ${parsed.wanted}, not "${raw}"` }
    },
  }
}

function settingOf<T>(
  name: string,
  kind: SettingKind,
  options: Options<T> & Pick<Setting, 'min' | 'max' | 'values'>,
): Setting {
  const { min, max, values } = options
  return {
    name,
    kind,
    required: !('default' in options),
    default: options.default,
    ...(min === undefined ? {} : { min }),
    ...(max === undefined ? {} : { max }),
    ...(values === undefined ? {} : { values }),
  }
}

export function string<D extends string | undefined = string>(
  name: string,
  options: { default?: D; pattern?: RegExp; wanted?: string; maxLength?: number } = {},
): Field<string | D> {
  return field<string | D>(name, 'text', options, (raw) => {
    if (options.maxLength !== undefined && raw.length > options.maxLength) {
      return { wanted: `at most ${options.maxLength} characters` }
    }
    if (options.pattern && !options.pattern.test(raw)) return { wanted: options.wanted ?? `like ${options.pattern}` }
    return { value: raw }
  })
}

export function integer<D extends number | undefined = number>(
  name: string,
  options: { default?: D; min?: number; max?: number } = {},
): Field<number | D> {
  const min = options.min ?? Number.MIN_SAFE_INTEGER
  const max = options.max ?? Number.MAX_SAFE_INTEGER
  const range =
    options.min !== undefined && options.max !== undefined
      ? ` from ${min} to ${max}`
      : options.min !== undefined
        ? ` of at least ${min}`
        : options.max !== undefined
          ? ` of at most ${max}`
          : ''
  return field<number | D>(name, 'integer', options, (raw) => {
    const value = /^[+-]?\d+$/.test(raw) ? Number(raw) : Number.NaN
    if (!Number.isSafeInteger(value) || value < min || value > max) return { wanted: `a whole number${range}` }
    return { value }
  })
}

export function boolean<D extends boolean | undefined = boolean>(
  name: string,
  options: { default?: D } = {},
): Field<boolean | D> {
  return field<boolean | D>(name, 'boolean', options, (raw) => {
    const word = raw.toLowerCase()
    if (['true', '1', 'yes', 'on'].includes(word)) return { value: true }
    if (['false', '0', 'no', 'off'].includes(word)) return { value: false }
    return { wanted: 'true or false' }
  })
}

const unitMs: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Milliseconds from `250ms 30s 5m 1h 2d`; a bare number is milliseconds. */
export function duration<D extends number | undefined = number>(
  name: string,
  options: { default?: D; min?: number; max?: number } = {},
): Field<number | D> {
  return field<number | D>(name, 'duration', options, (raw) => {
    const match = /^(\d+)(ms|s|m|h|d)?$/.exec(raw)
    const value = match ? Number(match[1]) * (unitMs[match[2] ?? 'ms'] ?? Number.NaN) : Number.NaN
    if (!Number.isSafeInteger(value)) return { wanted: 'a duration such as 500ms, 30s, 5m, 1h or 2d' }
    if (value < (options.min ?? 0)) return { wanted: `a duration of at least ${options.min ?? 0}ms` }
    if (options.max !== undefined && value > options.max) return { wanted: `a duration of at most ${options.max}ms` }
    return { value }
  })
}

export function url<D extends string | undefined = string>(
  name: string,
  options: { default?: D; protocols?: readonly string[] } = {},
): Field<string | D> {
  const wanted = options.protocols ? `a URL starting with ${options.protocols.join(' or ')}` : 'a URL'
  // A URL may carry a password, so the faulty value is not repeated.
  return field<string | D>(
    name,
    'url',
    options,
    (raw) => {
      if (!URL.canParse(raw)) return { wanted }
      const { protocol } = new URL(raw)
      const allowed = options.protocols?.some((p) => p.replace(/:?(\/\/)?$/, ':') === protocol) ?? true
      return allowed ? { value: raw } : { wanted }
    },
    true,
  )
}

/**
 * `host:port`, the form in which services name each other's gRPC listeners; several, with commas between, where a service
 * has replicas and no name that stands for all of them.
 */
export function address<D extends string | undefined = string>(
  name: string,
  options: { default?: D } = {},
): Field<string | D> {
  return field<string | D>(name, 'address', options, (raw) => {
    const sound = raw.split(',').every((one) => {
      const match = /^(?:\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+):(\d{1,5})$/.exec(one)
      const port = Number(match?.[1])
      return port >= 1 && port <= 65_535
    })
    return sound ? { value: raw } : { wanted: 'host:port' }
  })
}

export function list(name: string, options: { default?: string[]; pattern?: RegExp } = {}): Field<string[]> {
  return field<string[]>(name, 'list', options, (raw) => {
    const items = raw
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '')
    const bad = options.pattern && items.find((item) => !options.pattern?.test(item))
    return bad === undefined ? { value: items } : { wanted: `a comma-separated list ("${bad}" does not fit)` }
  })
}

export function oneOf<const T extends string>(
  name: string,
  values: readonly T[],
  options: { default?: NoInfer<T> } = {},
): Field<T> {
  return field<T>(name, 'choice', { ...options, values }, (raw) => {
    const value = values.find((candidate) => candidate === raw)
    return value === undefined ? { wanted: `one of ${values.join(', ')}` } : { value }
  })
}

/** A value that must never be printed, also not when it is wrong. */
export function secret<D extends string | undefined = string>(
  name: string,
  options: { default?: D; minLength?: number } = {},
): Field<string | D> {
  const minLength = options.minLength ?? 1
  return field<string | D>(
    name,
    'secret',
    options,
    (raw) => (raw.length >= minLength ? { value: raw } : { wanted: `at least ${minLength} characters long` }),
    true,
  )
}

/** 32 bytes, as 64 hexadecimal digits or as base64 of either alphabet. */
export function masterKey<D extends Buffer | undefined = Buffer>(
  name: string,
  options: { default?: D } = {},
): Field<Buffer | D> {
  return field<Buffer | D>(
    name,
    'key',
    options,
    (raw) => {
      if (/^[0-9a-f]{64}$/i.test(raw)) return { value: Buffer.from(raw, 'hex') }
      // Node reads both alphabets.
      if (/^[A-Za-z0-9+/_-]{43}=?$/.test(raw)) return { value: Buffer.from(raw, 'base64') }
      return { wanted: '32 bytes as base64 or as 64 hexadecimal digits' }
    },
    true,
  )
}
