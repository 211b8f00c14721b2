import { ItemFailure } from './batcher.js'

export interface Isolation<I, O> {
  attempt: (items: readonly I[]) => Promise<O[]>
  /** Whether a failure is the fault of an item. Any other ends the whole. */
  isFault: (error: unknown) => boolean
  /** What is answered for an item that fails by itself. */
  alone: (item: I, error: unknown) => O[] | Promise<O[]>
}

/** A failing batch is halved until the item at fault is alone, so the others cost log(n) further attempts, in order. */
export async function isolateFaults<I, O>(items: readonly I[], isolation: Isolation<I, O>): Promise<O[]> {
  try {
    return await isolation.attempt(items)
  } catch (error) {
    if (!isolation.isFault(error)) throw error
    const [only] = items
    if (only !== undefined && items.length === 1) return await isolation.alone(only, error)
    const middle = Math.ceil(items.length / 2)
    const first = await isolateFaults(items.slice(0, middle), isolation)
    return [...first, ...(await isolateFaults(items.slice(middle), isolation))]
  }
}

/** For a batcher whose attempt answers each item: those at fault fail alone, and what another failure hits fails with it. */
export function failFaulty<I, O>(
  items: readonly I[],
  attempt: (items: readonly I[]) => Promise<O[]>,
  isFault: (error: unknown) => boolean,
): Promise<(O | ItemFailure)[]> {
  const failed = (error: unknown) => new ItemFailure(error)
  return isolateFaults<I, O | ItemFailure>(items, {
    attempt: async (part) => {
      try {
        return await attempt(part)
      } catch (error) {
        if (isFault(error)) throw error
        return part.map(() => failed(error))
      }
    },
    isFault,
    alone: (_, error) => [failed(error)],
  })
}
