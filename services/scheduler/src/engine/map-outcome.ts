import { limits } from '@millrace/definition'
import type { ItemEndRow } from '../db/map-groups.js'
import type { MapOutcome } from '../domain/commands.js'
import type { MapStore } from './store.js'

/** The text between the outputs, and `null` where there is none. */
const BYTES_AN_ITEM = 5

/** How the items of a map ended. They do not change any more, unless one is retried: then nobody asks for this end. */
export async function mapOutcome(
  store: Pick<MapStore, 'loadMapEnd' | 'loadItemEnds'>,
  runId: string,
  taskId: string,
): Promise<MapOutcome> {
  const group = await store.loadMapEnd(runId, taskId)
  if (!group) throw new Error(`run ${runId} has no map ${taskId}`)
  const { ordinal, total, ending } = group
  const fits = group.output_bytes + total * BYTES_AN_ITEM <= limits.outputBytes
  const items = await store.loadItemEnds({ run_id: runId, ordinal }, fits)
  const failed = items.filter(({ status }) => status === 'failed')
  const [first] = failed
  return {
    ending,
    total,
    succeeded: items.filter(({ status }) => status === 'succeeded').length,
    failed: failed.length,
    firstError: first?.error ? { index: first.idx, error: first.error } : null,
    output: fits ? outputOf(items, total) : null,
  }
}

function outputOf(items: readonly ItemEndRow[], total: number): string {
  const outputs = new Array<string>(total).fill('null')
  // A rerun with other items may have taken over more than there are.
  for (const { idx, output } of items) if (output !== null && idx < total) outputs[idx] = output
  return `[${outputs.join(',')}]`
}
