/** The part of the batch statement that writes outputs kept as artifacts. */
export function outputParts(shape: { largePayloads: boolean }, use: (key: 'largePayloads') => string): string[] {
  return shape.largePayloads ? [largePart(use('largePayloads'))] : []
}

const largePart = (rows: string) => `paid_large as (
  insert into task_payloads (task_id, input, output, artifact_id, artifact_size)
  select p.task_id, p.input::json, p.output::json, p.artifact_id, p.artifact_size
  from ${rows} join applied a on a.id = p.run_id
  on conflict (task_id) do update set input = coalesce(excluded.input, task_payloads.input), output = excluded.output,
    artifact_id = excluded.artifact_id, artifact_size = excluded.artifact_size
)`
