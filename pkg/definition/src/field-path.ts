export type PathSegment = string | number
export type FieldPath = readonly PathSegment[]

/**
 * For each path the 1-based line of its deepest part that the source has. All paths at once: one pass over the source
 * answers a hundred as fast as one.
 */
export type Positions = (paths: readonly FieldPath[]) => (number | undefined)[]

export function toPointer(path: FieldPath): string {
  return path.map((s) => `/${String(s).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

export function fromPointer(pointer: string): string[] {
  if (pointer === '') return []
  return pointer
    .slice(1)
    .split('/')
    .map((s) => s.replaceAll('~1', '/').replaceAll('~0', '~'))
}
