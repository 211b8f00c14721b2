/** Nearest rank: a value that was measured, never one between two. */
export function quantile(values: readonly number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(q * sorted.length) - 1))] ?? Number.NaN
}

export const median = (values: readonly number[]): number => quantile(values, 0.5)

export const round = (value: number, digits = 1): number => Number(value.toFixed(digits))
