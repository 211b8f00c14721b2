/** Parts of the batch statement: what runs have to do with each other, as parent and child or as a rerun. */
export function familyParts(
  shape: { children: boolean; messages: boolean; copies: boolean; childCopies: boolean },
  use: (key: 'children' | 'messages' | 'copies' | 'childCopies') => string,
): string[] {
  const parts: string[] = []
  if (shape.children) parts.push(childPart(use('children')))
  if (shape.messages) parts.push(sentPart(use('messages')))
  if (shape.copies) parts.push(copyPart(use('copies')))
  if (shape.childCopies) parts.push(childCopyParts(use('childCopies')))
  return parts
}

const childPart = (rows: string) => `children as (
  insert into child_runs (task_id, run_id)
  select h.task_id, h.child_run_id from ${rows} join applied a on a.id = h.run_id
  on conflict (task_id) do update set run_id = excluded.run_id
)`

const sentPart = (rows: string) => `sent as (
  insert into run_inbox (run_id, command, dedupe_key)
  select m.to_run_id, m.command::json, m.dedupe_key from ${rows} join applied a on a.id = m.run_id
  on conflict (dedupe_key) do nothing
)`

const copyPart = (rows: string) => `copied as (
  insert into task_payloads (task_id, input, output, artifact_id, artifact_size)
  select c.task_id, p.input, p.output, p.artifact_id, p.artifact_size
  from ${rows} join applied a on a.id = c.run_id join task_payloads p on p.task_id = c.from_task_id
  on conflict (task_id) do nothing
)`

/** The index stands in the id where domain/child-id.ts puts it. */
const copyId = `(m.prefix || lpad(to_hex(32768 + t.idx), 4, '0') || m.suffix)::uuid`

const childCopyParts = (
  rows: string,
) => `child_copy as materialized (select m.* from ${rows} join applied a on a.id = m.run_id),
copied_children as (
  insert into tasks (id, run_id, project_id, ordinal, key, idx, name, uses, queue, priority, status, attempt,
    max_attempts, timeout_ms, finished_at)
  select ${copyId}, m.run_id, t.project_id, m.ordinal, t.key, t.idx, t.name, t.uses, t.queue, t.priority, t.status, t.attempt,
    t.max_attempts, t.timeout_ms, clock.now
  from child_copy m join tasks t on t.run_id = m.from_run_id and t.ordinal = m.from_ordinal
    and t.idx >= 0 and t.idx <> m.except_index and t.status = 'succeeded', clock
),
copied_child_payloads as (
  insert into task_payloads (task_id, input, output, artifact_id, artifact_size)
  select ${copyId}, p.input, p.output, p.artifact_id, p.artifact_size
  from child_copy m join tasks t on t.run_id = m.from_run_id and t.ordinal = m.from_ordinal
    and t.idx >= 0 and t.idx <> m.except_index and t.status = 'succeeded'
  join task_payloads p on p.task_id = t.id
)`
