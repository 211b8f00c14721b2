import { deadLetterEvents, taskUpdates } from './event-sql.js'

// Text of SQL that the statements on map items share.

/** Of a map that ends for one of these reasons, what runs is asked to stop. `stop` lets it finish. */
export const HARD = `('cancel', 'timeout', 'total-timeout')`

/** Publishes every row of the CTE `source` (rows of `tasks`). */
export const itemUpdates = (name: string, source: string): string =>
  taskUpdates(name, source, { worker: true, error: 't.error', labels: true })

/** Dead letters for rows of `source` that carry a `dead_letter_id`. */
export const itemDeadLetters = (source: string): string => `insert_item_dead_letters as (
  insert into dead_letters (id, project_id, run_id, task_id, class, error, at)
  select t.dead_letter_id, t.project_id, t.run_id, t.id, t.error ->> 'class', t.error, clock.now
  from ${source} t, clock where ${hasDeadLetter}
),
${deadLetterEvents('publish_item_dead_letters', source, hasDeadLetter)}`

const hasDeadLetter = 't.dead_letter_id is not null'

/** Whoever ends a group tells its run; `source` holds groups as they are now. */
export const groupEnds = (source: string): string => `ends as (
  insert into run_inbox (run_id, command, dedupe_key)
  select g.run_id, json_build_object('kind', 'map-ended', 'taskId', g.task_id, 'round', g.round),
    'map:' || g.task_id || ':' || g.round
  from ${source} g where g.closed_at is not null
  on conflict (dedupe_key) do nothing
)`
