import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Admission, type CallOutcome, Circuit, circuitLimits } from './circuit.js'

const { minCalls, openMs, maxOpenMs, probeMs, windowMs } = circuitLimits

function settled(circuit: Circuit, outcome: CallOutcome, now: number): void {
  const admission = circuit.admit(now)
  if (!admission.allowed) throw new Error('refused')
  admission.settle(outcome, now)
}

function opened(at = 0): Circuit {
  const circuit = new Circuit()
  for (let n = 0; n < minCalls; n++) settled(circuit, 'failed', at)
  return circuit
}

describe('a circuit', () => {
  it('opens at ten calls of which more than half failed, not before', () => {
    const circuit = new Circuit()
    for (let n = 0; n < 5; n++) settled(circuit, 'ok', 0)
    for (let n = 0; n < 5; n++) settled(circuit, 'failed', 0)
    expect(circuit.state(0)).toBe('closed')
    settled(circuit, 'failed', 0)
    expect(circuit.state(0)).toBe('open')
  })

  it('forgets calls after the window, and does not count what was no call', () => {
    const circuit = new Circuit()
    for (let n = 0; n < 9; n++) settled(circuit, 'failed', 0)
    for (let n = 0; n < 99; n++) settled(circuit, 'none', 0)
    settled(circuit, 'failed', windowMs)
    expect(circuit.state(windowMs)).toBe('closed')
  })

  it('lets one probe through when the wait is over; its end decides', () => {
    const circuit = opened()
    expect(circuit.admit(openMs - 1)).toEqual({ allowed: false, retryAfterMs: 1 })
    const probe = circuit.admit(openMs)
    expect(probe.allowed).toBe(true)
    expect(circuit.admit(openMs)).toEqual({ allowed: false, retryAfterMs: probeMs })
    if (probe.allowed) probe.settle('failed', openMs + 10)
    expect(circuit.admit(openMs + 10)).toEqual({ allowed: false, retryAfterMs: 2 * openMs })
    settled(circuit, 'ok', 3 * openMs + 10)
    expect(circuit.state(3 * openMs + 10)).toBe('closed')
    for (let n = 0; n < minCalls - 1; n++) settled(circuit, 'failed', 3 * openMs + 10)
    expect(circuit.state(3 * openMs + 10), 'with a clean record').toBe('closed')
  })

  it('lets another probe through when one was given up, or hangs', () => {
    const circuit = opened()
    settled(circuit, 'none', openMs)
    const hanging = circuit.admit(openMs)
    expect(hanging.allowed).toBe(true)
    const next = circuit.admit(openMs + probeMs)
    expect(next.allowed).toBe(true)
    if (hanging.allowed) hanging.settle('failed', openMs + probeMs)
    expect(circuit.state(openMs + probeMs), 'the late one decides nothing').toBe('half-open')
    if (next.allowed) next.settle('ok', openMs + probeMs)
    expect(circuit.state(openMs + probeMs)).toBe('closed')
  })
})

/** The rules in their plainest form: every call since the last close, counted anew each time. */
class Model {
  calls: { second: number; failed: boolean }[] = []
  openUntil: number | undefined
  waitMs = 0

  wouldOpen(now: number): boolean {
    const live = this.calls.filter(({ second }) => second > Math.floor(now / 1_000) - windowMs / 1_000)
    return live.length >= 10 && live.filter(({ failed }) => failed).length * 2 > live.length
  }
}

const outcome = fc.constantFrom<CallOutcome>('ok', 'failed', 'failed', 'none')
const step = fc.oneof(
  fc.record({ kind: fc.constant('admit' as const) }),
  fc.record({ kind: fc.constant('settle' as const), which: fc.nat(20), outcome }),
  fc.record({ kind: fc.constant('call' as const), outcome }),
  fc.record({ kind: fc.constant('wait' as const), ms: fc.constantFrom(1, 400, 1_000, 5_000, 10_000, 31_000) }),
)

describe('whatever happens, in whatever order', () => {
  it('a circuit keeps to its rules', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
        const circuit = new Circuit()
        const model = new Model()
        const open: { admission: Admission; whileClosed: boolean }[] = []
        let now = 0
        let probesUntil = -1

        const admit = () => {
          const before = circuit.state(now)
          expect(before === 'closed').toBe(model.openUntil === undefined)
          const admission = circuit.admit(now)
          if (before === 'closed') expect(admission.allowed).toBe(true)
          if (before === 'open') expect(admission.allowed).toBe(false)
          if (!admission.allowed) {
            expect(admission.retryAfterMs).toBeGreaterThan(0)
            expect(admission.retryAfterMs).toBeLessThanOrEqual(maxOpenMs)
            return
          }
          if (before === 'half-open') {
            expect(now, 'one probe at a time').toBeGreaterThanOrEqual(probesUntil)
            probesUntil = now + probeMs
          }
          open.push({ admission, whileClosed: before === 'closed' })
        }
        const settle = (which: number, result: CallOutcome) => {
          const [one] = open.splice(which % Math.max(open.length, 1), 1)
          if (!one?.admission.allowed) return
          const before = circuit.state(now)
          one.admission.settle(result, now)
          const after = circuit.state(now)
          if (before === 'closed' && result !== 'none') {
            model.calls.push({ second: Math.floor(now / 1_000), failed: result === 'failed' })
            expect(after === 'open', 'opens exactly by the rule').toBe(model.wouldOpen(now))
            if (after === 'open') model.waitMs = openMs
          } else if (before !== 'closed' && one.whileClosed) {
            expect(after, 'calls from before say nothing').toBe(before)
          } else if (before !== 'closed' && result === 'ok') {
            expect(after).toBe('closed')
            model.calls = []
          } else if (before === 'half-open' && after === 'open') {
            expect(result).toBe('failed')
            model.waitMs = Math.min(model.waitMs * 2, maxOpenMs)
          }
          if (after === 'open' && before !== 'open') {
            model.openUntil = now + model.waitMs
            const refused = circuit.admit(now)
            expect(refused).toEqual({ allowed: false, retryAfterMs: model.waitMs })
          }
          if (after === 'closed') model.openUntil = undefined
          if (before === 'half-open') probesUntil = -1
        }
        for (const one of steps) {
          if (one.kind === 'wait') now += one.ms
          else if (one.kind === 'settle') settle(one.which, one.outcome)
          else {
            const had = open.length
            admit()
            if (one.kind === 'call' && open.length > had) settle(open.length - 1, one.outcome)
          }
        }
      }),
      { numRuns: 1_000 },
    )
  })
})
