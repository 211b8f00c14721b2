/** UTF-16 units: scanning needs no strings, and decoded text needs none to be made. */
export type Units = Uint16Array

export function unitsOf(text: string): Units {
  const units = new Uint16Array(text.length)
  Buffer.from(units.buffer).write(text, 'utf16le')
  return units
}

/** A longer text is found by its beginning and then compared: the automaton stays small whatever it looks for. */
const maxDepth = 1024

/**
 * Finds any of many texts in one pass (Aho-Corasick). Time is linear in what is scanned, however many texts there are and
 * however they repeat themselves; one search for each text took seconds for a hundred secrets in an output of 8 MiB.
 */
export class TextAutomaton {
  // Node 0 is the root. A node's first child is in arrays and its others in a map: most nodes have just one.
  private readonly unit: number[] = [0]
  private readonly firstChild: number[] = [0]
  private readonly nextSibling: number[] = [0]
  private readonly otherChildren = new Map<number, number>()
  private readonly longTexts = new Map<number, Units[]>()
  /** The length of the longest text that ends at a node. */
  private readonly longest: number[] = [0]
  private fallback: Int32Array | undefined
  /** Which units any text begins with: most of what is scanned is passed over by this alone. */
  private readonly begins = new Uint8Array(65_536)

  add(text: string): void {
    if (text === '') return
    const units = unitsOf(text)
    const depth = Math.min(units.length, maxDepth)
    let node = 0
    for (let i = 0; i < depth; i++) node = this.child(node, at(units, i)) || this.append(node, at(units, i))
    this.longest[node] = depth
    if (units.length > maxDepth) this.longTexts.set(node, [...(this.longTexts.get(node) ?? []), units])
    this.begins[at(units, 0)] = 1
    this.fallback = undefined
  }

  /** Calls `found` with the place of each text, by increasing end. `read` lets units pass for others. */
  scan(units: Units, found: (start: number, end: number) => void, read?: (unit: number) => number): void {
    this.fallback ??= this.link()
    const { begins } = this
    let node = 0
    for (let i = 0; i < units.length; i++) {
      const unit = read ? read(at(units, i)) : at(units, i)
      if (node === 0 && begins[unit] === 0) continue
      node = this.step(node, unit)
      const length = this.longest[node] ?? 0
      if (length === 0) continue
      const start = i + 1 - length
      const end = this.extended(node, units, start, i + 1, read)
      found(start, end)
      // What was compared is not scanned again, or a text that repeats itself would be compared from each of its units.
      if (end > i + 1) [node, i] = [0, end - 1]
    }
  }

  private step(from: number, unit: number): number {
    let node = from
    for (;;) {
      const next = this.child(node, unit)
      if (next !== 0 || node === 0) return next
      node = this.fallback?.[node] ?? 0
    }
  }

  private child(node: number, unit: number): number {
    const first = this.firstChild[node] ?? 0
    if (first === 0 || this.unit[first] === unit) return first
    return this.nextSibling[first] === 0 ? 0 : (this.otherChildren.get(node * 65_536 + unit) ?? 0)
  }

  private append(parent: number, unit: number): number {
    const node = this.unit.push(unit) - 1
    this.firstChild.push(0)
    this.nextSibling.push(0)
    this.longest.push(0)
    const first = this.firstChild[parent] ?? 0
    if (first === 0) this.firstChild[parent] = node
    else {
      this.nextSibling[node] = this.nextSibling[first] ?? 0
      this.nextSibling[first] = node
      this.otherChildren.set(parent * 65_536 + unit, node)
    }
    return node
  }

  /** Breadth first: a node falls back to the longest other beginning that its text ends with. */
  private link(): Int32Array {
    const fallback = new Int32Array(this.unit.length)
    this.fallback = fallback
    const queue: number[] = [0]
    for (const node of queue) {
      for (let child = this.firstChild[node] ?? 0; child !== 0; child = this.nextSibling[child] ?? 0) {
        if (node !== 0) fallback[child] = this.step(fallback[node] ?? 0, this.unit[child] ?? 0)
        this.longest[child] = Math.max(this.longest[child] ?? 0, this.longest[fallback[child] ?? 0] ?? 0)
        queue.push(child)
      }
    }
    return fallback
  }

  private extended(node: number, units: Units, start: number, end: number, read?: (unit: number) => number): number {
    let furthest = end
    for (const text of this.longTexts.get(node) ?? []) {
      let i = maxDepth
      while (i < text.length && start + i < units.length) {
        const unit = at(units, start + i)
        if ((read ? read(unit) : unit) !== at(text, i)) break
        i++
      }
      furthest = Math.max(furthest, start + i)
    }
    return furthest
  }
}

const at = (units: Units, index: number): number => units[index] ?? 0
