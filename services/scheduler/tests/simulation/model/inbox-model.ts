import type { InboxCommand, InboxRow } from '../../../src/db/run-inbox.js'
import type { Statement } from './statement.js'
import type { InboxTuple } from './tables.js'

export function putInInbox(s: Statement, run_id: string, command: InboxCommand, dedupe_key: string): void {
  const id = s.live.next('run_inbox')
  for (const row of s.live.all('run_inbox')) if (row.dedupe_key === dedupe_key) return
  s.live.put('run_inbox', id, { id, run_id, command: JSON.stringify(command), dedupe_key, created_at: s.now })
}

const toInboxRow = ({ id, run_id, command }: InboxTuple): InboxRow => ({ id, run_id, command: JSON.parse(command) })

export const inbox = (s: Statement, condition: (row: InboxTuple) => boolean): InboxRow[] =>
  [...s.seen.all('run_inbox')]
    .filter(condition)
    .sort((a, b) => a.id - b.id)
    .map(toInboxRow)

/** What was kept for runs that never came. */
export function forgetInbox(s: Statement, olderThanDays: number): void {
  const old = s.now - olderThanDays * 86_400_000
  for (const { id, run_id, created_at } of [...s.seen.all('run_inbox')]) {
    if (created_at < old && !s.seen.get('runs', run_id) && s.reach('run_inbox', id)) s.live.remove('run_inbox', id)
  }
}
