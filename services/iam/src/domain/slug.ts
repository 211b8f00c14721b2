import { randomBytes } from 'node:crypto'

const MAX = 63

/** A project's slug from the part of an address before the @. */
export function slugFromEmail(email: string): string {
  const local = email.split('@', 1)[0] ?? ''
  const slug = local
    .normalize('NFKD')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|(?<!-)-+$/g, '')
    .slice(0, MAX)
    .replace(/(?<!-)-+$/, '')
  return slug === '' ? 'project' : slug
}

/** For a slug that is taken. */
export function withSuffix(slug: string): string {
  return `${slug.slice(0, MAX - 9)}-${randomBytes(4).toString('hex')}`
}
