const longest = 63

/** A name as it can stand in an address: letters without their marks, digits, single hyphens. */
export function slugOf(name: string): string {
  const plain = name.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()
  const joined = plain
    .split(/[^a-z0-9]+/)
    .filter(Boolean)
    .join('-')
  return joined.slice(0, longest).replace(/-$/, '')
}
