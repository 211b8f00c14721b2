/** The path alone, without query and fragment. */
export function pathOf(target: string): string {
  const end = target.search(/[?#]/)
  return end < 0 ? target : target.slice(0, end)
}

/**
 * Spellings that the route table and what stands behind it might read differently. Nothing of ours is named so, and
 * whoever sends them is looking for a way around.
 */
const odd = /^[^/]|\/\/|\/\.{1,2}(?:\/|$)|\\|%2f|%5c|%2e|%00|[\p{Cc} ]/iu

export const isOddPath = (path: string): boolean => path === '' || odd.test(path)
