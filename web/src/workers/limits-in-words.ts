import { formatCount } from '../ui/format'
import type { Queue } from './worker-queries'

export const limitsInWords = ({ concurrency, rateLimit }: Pick<Queue, 'concurrency' | 'rateLimit'>): string =>
  [
    concurrency === null ? undefined : `${formatCount(concurrency)} at once`,
    rateLimit === null ? undefined : `${formatCount(rateLimit.limit)} per ${rateLimit.per}`,
  ]
    .filter(Boolean)
    .join(', ') || 'none'
