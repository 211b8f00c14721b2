export type PathSegment = string | number
export type FieldPath = readonly PathSegment[]

/** 1-based line of the deepest part of `path` that the source has. */
export type Positions = (path: FieldPath) => number | undefined

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
