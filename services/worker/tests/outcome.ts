import { waitFor } from '@millrace/testkit'
import { type Harness, resultOf } from './harness.js'

/** Runs one task of an executor to its end and answers everything that is seen of it. */
export async function outcomeOf({ dispatch, logs }: Harness, uses: string, input: unknown, lease: object = {}) {
  const [id] = dispatch.enqueue({ uses, inputJson: JSON.stringify(input), idempotencyKey: 'abc123', ...lease })
  const { outcome, outputJson, error } = await resultOf(dispatch, id)
  await waitFor(() => /^attempt 1 (succeeded|failed)/.test(logs.of(id).at(-1)?.message ?? ''))
  const output = outcome === 'OUTCOME_SUCCEEDED' ? (JSON.parse(outputJson) as Record<string, unknown>) : undefined
  return { id, output, error, lines: logs.of(id) }
}
