import type { ServerWritableStream } from '@grpc/grpc-js'

const aborted = Symbol('aborted')

/**
 * Waits for a promise or for the abort, whichever is first. One listener serves the whole stream: racing each item
 * against one lasting promise would keep a reaction for every item until the stream ends.
 */
function abortable(signal: AbortSignal): <T>(waitFor: Promise<T>) => Promise<T | typeof aborted> {
  let wake: ((value: typeof aborted) => void) | undefined
  signal.addEventListener('abort', () => wake?.(aborted), { once: true })
  return (waitFor) =>
    new Promise((resolve, reject) => {
      wake = resolve
      if (signal.aborted) resolve(aborted)
      waitFor.then(resolve, reject)
    })
}

/**
 * Writes what the handler yields at the pace the peer reads it. On abort it stops at once, even if the handler is
 * stuck waiting for its next item.
 */
export async function pump(
  call: ServerWritableStream<unknown, unknown>,
  source: AsyncIterable<unknown>,
  signal: AbortSignal,
): Promise<void> {
  const iterator = source[Symbol.asyncIterator]()
  const orAborted = abortable(signal)
  try {
    for (;;) {
      const next = await orAborted(iterator.next())
      if (next === aborted) break
      if (next.done) return
      if (!call.write(next.value)) {
        const drained = new Promise<void>((resolve) => call.once('drain', resolve))
        if ((await orAborted(drained)) === aborted) break
      }
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
  // Not awaited: a generator that waits for its next item answers `return` only after that item.
  void Promise.resolve(iterator.return?.()).catch(() => undefined)
}
