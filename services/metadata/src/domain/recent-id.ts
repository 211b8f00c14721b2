/** Whether a UUIDv7 was made within the last `withinMs`; an id of another kind, or of the future, was not. */
export function isRecentId(id: string, now: number, withinMs: number): boolean {
  if (id[14] !== '7') return false
  const madeAt = Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)
  // A clock a little ahead of ours may have made it.
  return madeAt > now - withinMs && madeAt < now + 5_000
}
