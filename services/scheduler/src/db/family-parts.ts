/** Parts of the batch statement: what runs have to do with each other, as parent and child or as a rerun. */
export function familyParts(
  shape: { children: boolean; messages: boolean; copies: boolean },
  use: (key: 'children' | 'messages' | 'copies') => string,
): string[] {
  const parts: string[] = []
  if (shape.children) parts.push(childPart(use('children')))
  if (shape.messages) parts.push(sentPart(use('messages')))
  if (shape.copies) parts.push(copyPart(use('copies')))
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
