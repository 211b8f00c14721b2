/** Parts of the batch statement: the children of tasks, and what a run owes its parent and its children. */
export function familyParts(
  shape: { children: boolean; messages: boolean },
  use: (key: 'children' | 'messages') => string,
): string[] {
  return [
    ...(shape.children ? [childPart(use('children'))] : []),
    ...(shape.messages ? [sentPart(use('messages'))] : []),
  ]
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
