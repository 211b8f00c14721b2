import type { common } from '@millrace/contracts'

/** Where a run came from, when not from outside alone. */
export interface RunOrigin {
  parent?: common.ParentTask__Output
  rerun?: common.RerunSource__Output
}
