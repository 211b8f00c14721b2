import { describe, expect, it } from 'vitest'
import { EndpointGate } from './endpoint-gate.js'

describe('endpoint gate', () => {
  it('counts what is open', () => {
    const gate = new EndpointGate(8, 1000)
    gate.enter('a')
    gate.enter('a')
    gate.enter('b')
    expect(gate.taken()).toEqual(
      new Map([
        ['a', 2],
        ['b', 1],
      ]),
    )
    gate.leave('a', 10)
    gate.leave('b', 10)
    expect(gate.taken()).toEqual(new Map([['a', 1]]))
  })

  it('takes places from a slow endpoint down to one, and gives them back', () => {
    const gate = new EndpointGate(8, 1000)
    const answer = (latencyMs: number) => {
      gate.enter('a')
      gate.leave('a', latencyMs)
      return 8 - (gate.taken().get('a') ?? 0)
    }
    expect([2000, 2000, 2000, 2000].map(answer)).toEqual([4, 2, 1, 1])
    expect([10, 10, 10, 10].map(answer)).toEqual([2, 4, 8, 8])
    expect(gate.taken().size).toBe(0)
  })

  it('forgets rather than grows without bound', () => {
    const gate = new EndpointGate(8, 1000)
    for (let n = 0; n <= 10_000; n++) gate.leave(`e${n}`, 5000)
    expect(gate.taken().size).toBe(0)
  })
})
