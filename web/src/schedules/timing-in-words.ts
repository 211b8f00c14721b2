import { cronInWords } from './cron-in-words'

const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 }
const parts: readonly [string, number][] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
]

/** `15m` as "Every 15 minutes". Undefined for what is no interval, and for ISO 8601, which is shown as it is. */
export function everyInWords(every: string): string | undefined {
  const [, amount, unit] = /^(\d{1,9}(?:\.\d{1,6})?)([smhd])$/.exec(every.trim()) ?? []
  let rest = Math.round(Number(amount) * (unitSeconds[unit ?? ''] ?? Number.NaN))
  if (!(rest >= 1)) return undefined
  const words = parts.flatMap(([name, size]) => {
    const count = Math.floor(rest / size)
    rest -= count * size
    return count === 0 ? [] : [count === 1 ? `1 ${name}` : `${count} ${name}s`]
  })
  return `Every ${words.join(' ').replace(/^1 ([a-z]+)$/, '$1')}`
}

export interface Timing {
  cron: string | null
  every: string | null
}

/** When a schedule comes due: in words where there are some, else as it was given. */
export function timingInWords({ cron, every }: Timing): string {
  if (every !== null) return everyInWords(every) ?? `Every ${every}`
  return cronInWords(cron ?? '') ?? cron ?? ''
}

export const timingText = ({ cron, every }: Timing): string => (every === null ? (cron ?? '') : `every ${every}`)
