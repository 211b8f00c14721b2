/** How many runs to ask for at a moment, and of what; open loop: what is slow is not asked for less. */
export interface Scenario {
  /** Runs a second at this moment, by workflow. */
  rates(second: number, capacity: number): Partial<Record<WorkflowName, number>>
  seconds: number
}

export const definitions = {
  one: { only: { uses: 'noop' } },
  three: { a: { uses: 'noop' }, b: { uses: 'noop', needs: ['a'] }, c: { uses: 'noop', needs: ['b'] } },
  fan: {
    all: { uses: 'map', with: { items: Array.from({ length: 20 }, (_, n) => n), task: { uses: 'noop' } } },
    join: { uses: 'noop', needs: ['all'] },
  },
  flaky: {
    shaky: { uses: 'fail', with: { times: 1 }, retry: { maxAttempts: 3, delay: '200ms' } },
    nap: { uses: 'sleep', with: { duration: '500ms' }, needs: ['shaky'] },
  },
}

export type WorkflowName = keyof typeof definitions

/** Rates are bounded: a laptop is not to be taken down, and what is measured is not the queue of the generator. */
export const scenarios: Record<string, Scenario> = {
  light: { seconds: 30, rates: () => ({ three: 5 }) },
  burst: { seconds: 30, rates: (second) => (second % 10 === 0 ? { one: 1000 } : {}) },
  'fan-out': { seconds: 30, rates: () => ({ fan: 4 }) },
  mixed: { seconds: 30, rates: () => ({ one: 20, three: 10, fan: 1, flaky: 3 }) },
  soak: { seconds: 3600, rates: (_, capacity) => ({ three: capacity / 2 }) },
}
