type Operations = Readonly<Record<string, (client: never, ...args: never[]) => unknown>>

/** Operations without their first parameter. */
export type Bound<O extends Operations> = {
  readonly [K in keyof O]: O[K] extends (client: never, ...args: infer A) => infer R ? (...args: A) => R : never
}

/** Gives every operation this client, pool or transaction. */
export function bind<O extends Operations>(client: Parameters<O[keyof O]>[0], operations: O): Bound<O> {
  const bound = Object.entries(operations).map(([name, operation]) => [
    name,
    (...args: never[]) => operation(client as never, ...args),
  ])
  return Object.fromEntries(bound) as Bound<O>
}
