interface Gap {
  low: number
  high: number
  /** Every transaction that could fill the gap is older than this; unknown until the first look. */
  horizon?: bigint
}

export interface SnapshotBounds {
  /** Every transaction below this had ended. */
  xmin: bigint
  /** Every transaction that had an xid is below this. Only needed by those gaps that have no horizon yet. */
  next?: bigint
}

/**
 * The ids a reader has passed without seeing. Commit order is not id order, so a missing id is either still on its
 * way or was never used. Ranges, because a sequence may leap far after a crash and retention leaves nothing below.
 */
export class GapSet {
  private gaps: Gap[] = []

  /** Missing ids. */
  get size(): number {
    return this.gaps.reduce((sum, gap) => sum + gap.high - gap.low + 1, 0)
  }

  get isEmpty(): boolean {
    return this.gaps.length === 0
  }

  get lowest(): number | undefined {
    return this.gaps[0]?.low
  }

  get ranges(): { lows: number[]; highs: number[] } {
    return { lows: this.gaps.map((gap) => gap.low), highs: this.gaps.map((gap) => gap.high) }
  }

  /** Whether the next look has to bring the bound of the xids given so far. */
  get needsHorizon(): boolean {
    return this.gaps.some(({ horizon }) => horizon === undefined)
  }

  /** Above every gap known so far. */
  add(low: number, high: number): void {
    this.gaps.push({ low, high })
  }

  /** Takes out ids that appeared, given in ascending order. */
  fill(ids: readonly number[]): void {
    if (ids.length === 0) return
    const kept: Gap[] = []
    let next = 0
    for (const gap of this.gaps) {
      let { low } = gap
      for (; next < ids.length && (ids[next] as number) <= gap.high; next += 1) {
        const id = ids[next] as number
        if (id > low) kept.push({ ...gap, low, high: id - 1 })
        low = id + 1
      }
      if (low <= gap.high) kept.push({ ...gap, low })
    }
    this.gaps = kept
  }

  /**
   * To be called with the bounds of the very snapshot in which the gaps were looked for, after `fill`.
   * First look: whoever took the missing id had its xid before, so it is below the next one. A later look whose xmin has
   * reached that bound saw the end of all of them: what is still missing was rolled back. The snapshot's own xmax is no
   * such bound: it lies above the newest transaction that has ended, and a newer one may have begun before that.
   */
  settle({ xmin, next }: SnapshotBounds): void {
    this.gaps = this.gaps.filter((gap) => gap.horizon === undefined || gap.horizon > xmin)
    if (next === undefined) return
    for (const gap of this.gaps) gap.horizon ??= next
  }
}
