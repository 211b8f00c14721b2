import { messageOf } from './problem'

const atOnce = 6

/** A few calls at a time: each refusal is told apart, and a large choice does not flood the API. Returns the refusals. */
export async function runAll<T>(items: readonly T[], call: (item: T) => Promise<unknown>): Promise<string[]> {
  const faults: string[] = []
  const queue = [...items]
  const work = async () => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) {
      await call(item).catch((error: unknown) => faults.push(messageOf(error)))
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return faults
}
