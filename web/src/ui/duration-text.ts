const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }
/** Weeks, days, hours, minutes, seconds. */
const isoMs = [604_800_000, 86_400_000, 3_600_000, 60_000, 1_000]
const short = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/
const iso = /^P(?=.)(?:([\d.]+)W)?(?:([\d.]+)D)?(?:T(?=.)(?:([\d.]+)H)?(?:([\d.]+)M)?(?:([\d.]+)S)?)?$/

/** Milliseconds of a duration as definitions write it: `15m`, or ISO 8601. Undefined for what is neither. */
export function durationMs(text: string): number | undefined {
  const [, amount, unit] = short.exec(text) ?? []
  if (unit !== undefined) return Number(amount) * (unitMs[unit] ?? Number.NaN)
  const [whole, ...parts] = iso.exec(text) ?? []
  if (whole === undefined) return undefined
  return parts.reduce((sum, part, at) => sum + Number(part ?? 0) * (isoMs[at] ?? 0), 0)
}
