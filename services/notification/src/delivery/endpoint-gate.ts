/**
 * How many deliveries each endpoint may have open. One that answers slowly loses half of its places each time and gets
 * them back by answering in time: a few dozen dead receivers cannot hold every place for the length of a timeout.
 */
export class EndpointGate {
  private readonly open = new Map<string, number>()
  /** Only of endpoints that were slow. */
  private readonly allowance = new Map<string, number>()

  constructor(
    private readonly maxPerEndpoint: number,
    private readonly slowMs: number,
  ) {}

  enter(endpoint: string): void {
    this.open.set(endpoint, (this.open.get(endpoint) ?? 0) + 1)
  }

  leave(endpoint: string, latencyMs: number): void {
    const left = (this.open.get(endpoint) ?? 1) - 1
    if (left > 0) this.open.set(endpoint, left)
    else this.open.delete(endpoint)
    const current = this.allowance.get(endpoint) ?? this.maxPerEndpoint
    const next = latencyMs >= this.slowMs ? Math.max(1, current >> 1) : Math.min(this.maxPerEndpoint, current * 2)
    if (next === this.maxPerEndpoint) this.allowance.delete(endpoint)
    else this.allowance.set(endpoint, next)
    // Endpoints that were slow once and never came back must not pile up.
    if (this.allowance.size > 10_000) this.allowance.clear()
  }

  /** Places that are not free, of every endpoint that has fewer than all of them. */
  taken(): Map<string, number> {
    const taken = new Map(this.open)
    for (const [endpoint, allowed] of this.allowance) {
      taken.set(endpoint, (taken.get(endpoint) ?? 0) + this.maxPerEndpoint - allowed)
    }
    return taken
  }
}
