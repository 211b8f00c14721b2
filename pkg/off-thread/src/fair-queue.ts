/** First in, first out for each key; the keys take turns. */
export class FairQueue<T> {
  readonly #lists = new Map<string, T[]>()
  #size = 0

  get size(): number {
    return this.#size
  }

  push(key: string, item: T): void {
    const list = this.#lists.get(key)
    if (list === undefined) this.#lists.set(key, [item])
    else list.push(item)
    this.#size++
  }

  shift(): T | undefined {
    const next = this.#lists.entries().next()
    if (next.done) return undefined
    const [key, list] = next.value
    // To the end of the line, unless nothing more waits.
    this.#lists.delete(key)
    const item = list.shift()
    if (list.length > 0) this.#lists.set(key, list)
    this.#size--
    return item
  }
}
