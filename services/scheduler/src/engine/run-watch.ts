/** Tells watchers of a run that something about it changed. A hint: watchers read the rows, and poll as well. */
export class RunWatch {
  private readonly watchers = new Map<string, Set<() => void>>()

  changed(runIds: Iterable<string>): void {
    if (this.watchers.size === 0) return
    for (const runId of runIds) for (const wake of this.watchers.get(runId) ?? []) wake()
  }

  watch(runId: string, wake: () => void): () => void {
    const set = this.watchers.get(runId) ?? new Set()
    this.watchers.set(runId, set.add(wake))
    return () => {
      set.delete(wake)
      if (set.size === 0) this.watchers.delete(runId)
    }
  }
}
