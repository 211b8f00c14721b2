import type { AppContext } from './context.js'
import { listOutputs, moveArtifacts } from './db/output-artifacts.js'

const slice = 200
const first = '00000000-0000-0000-0000-000000000000'

/**
 * A rerun takes over outputs of the run that it repeats, large ones by reference: those then belong to the rerun. The
 * scheduler is asked, so while it does not answer nothing is deleted.
 */
export async function keepShared({ pool, runs }: AppContext, runIds: readonly string[]): Promise<void> {
  let after = first
  for (;;) {
    const ids = await listOutputs(pool, runIds, after, slice)
    if (ids.length > 0) await moveArtifacts(pool, await runs.outputUsers(ids))
    if (ids.length < slice) return
    after = ids.at(-1) ?? after
  }
}
