/** Marks a switch as exhaustive: a new variant is a compile error, and a value from outside fails loudly. */
export function assertNever(value: never): never {
  throw new Error(`unexpected value: ${JSON.stringify(value)}`)
}
