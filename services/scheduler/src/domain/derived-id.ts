import { createHash } from 'node:crypto'

/**
 * An id that follows from what it is for, so that it is known before anything is made under it, and the same however
 * often that is tried. It begins as the owner's id does, with a time: ids that grow keep an index's new entries together.
 */
export function derivedId(ownerId: string, purpose: string): string {
  const hash = createHash('sha256').update(purpose).digest('hex')
  const variant = '89ab'.charAt(Number.parseInt(hash.charAt(3), 16) % 4)
  return `${ownerId.slice(0, 13)}-8${hash.slice(0, 3)}-${variant}${hash.slice(4, 7)}-${hash.slice(7, 19)}`
}
