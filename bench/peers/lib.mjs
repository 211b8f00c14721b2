// One monotonic clock for every process of the machine.
export const now = () => Number(process.hrtime.bigint()) / 1e6

export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

export function quantile(values, p) {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(p * sorted.length) - 1))]
}

export const rounded = (value) => Math.round(value * 100) / 100

/** Runs `work` for 0 … count − 1, at most `inFlight` at a time. */
export async function pool(count, inFlight, work) {
  let next = 0
  const one = async () => {
    while (next < count) {
      const turn = next
      next += 1
      await work(turn)
    }
  }
  await Promise.all(Array.from({ length: Math.min(count, inFlight) }, one))
}

export function check(condition, what) {
  if (!condition) throw new Error(`the check of ${what} failed: its figure would mean nothing`)
}

export const perSecond = (count, begin) => rounded((count / (now() - begin)) * 1000)

/** The figures of a chain: how long, and the gaps from the end of one step to the start of the next. */
export function chainFigures(totalMs, steps) {
  const gaps = steps.slice(1).map((step, i) => step.started - steps[i].ended)
  return {
    'sequence of 40, ms': rounded(totalMs),
    'task to next, p50 ms': rounded(quantile(gaps, 0.5)),
    'task to next, p99 ms': rounded(quantile(gaps, 0.99)),
  }
}

/** One trigger at a time, a hundred of them; `start` gives when the work started. */
export async function triggerFigures(start) {
  const times = []
  for (let i = 0; i < 100; i += 1) {
    const begin = now()
    times.push((await start(i)) - begin)
    await sleep(20)
  }
  return {
    'trigger to start, p50 ms': rounded(quantile(times, 0.5)),
    'trigger to start, p99 ms': rounded(quantile(times, 0.99)),
  }
}
