import { createHash } from 'node:crypto'
import type { CompositeField, CompositeFieldType } from '@millrace/postgres'
import { type Columns, snakeCase } from '../columns.js'
import { dequeueTypes, leasedDetail, leasedSource, leaseFragment } from '../lease-fragment.js'
import type { RowClause } from './clause.js'
import { clauses, type RowKind } from './clauses.js'

/**
 * The kinds of rows of nearly all batches: runs that are created, and reports that succeed. A function writes such a
 * batch in a few plain statements, whose plans are kept, instead of one with twenty CTEs, provided that every unit wins;
 * else it writes nothing, and the statement of `statement.ts` sorts them out. Both are made of the same clauses.
 */
export const commonKinds = [
  ...(['runChanges', 'guards', 'newRuns', 'newTasks', 'taskChanges'] as const),
  ...(['payloads', 'newTimers', 'queued', 'events'] as const),
] satisfies readonly RowKind[]
export type CommonKind = (typeof commonKinds)[number]

/** Raised when a run of the batch exists already: what was written of the batch is undone. */
export const RUN_EXISTS = 'MR001'

/** Columns that have no binary form here travel as text, and their clause casts them. */
const sentAs = (type: string): CompositeFieldType => (type === 'timestamptz' ? 'text' : (type as CompositeFieldType))

export const fieldsOf = (kind: CommonKind): CompositeField[] =>
  Object.entries<Columns[string]>(clauses[kind].columns).flatMap(([name, { type }]) =>
    type === undefined ? [] : [{ name, type: sentAs(type) }],
  )

const rowsOf = (kind: CommonKind): string => `unnest(_${snakeCase(kind)}) ${clauses[kind].alias}`

/** A statement of the function: what the clause of that kind writes. */
function write(kind: CommonKind): string {
  const { direct } = clauses[kind] as RowClause
  if (!direct) throw new Error(`the clause of ${kind} is no statement of its own`)
  return `with clock as (select _now as now) ${direct(rowsOf(kind))};`
}

const writeIfAny = (kind: CommonKind, after = ''): string =>
  `  if _${snakeCase(kind)} is not null then\n  ${write(kind)}${after}\n  end if;`

/** Ends the function, nothing being written, unless as many rows are as they should be. */
const unlessAll = (kind: CommonKind): string => `
    get diagnostics _count = row_count;
    if _count <> cardinality(_${snakeCase(kind)}) then return; end if;
  end if;`

const locks = `  if _run_changes is not null then
    perform 1 from runs r join ${rowsOf('runChanges')} on r.id = c.run_id
      where r.rev = c.expected_rev order by r.id for update of r;${unlessAll('runChanges')}
  if _guards is not null then
    perform 1 from tasks t join ${rowsOf('guards')} on t.id = g.task_id
      where t.status = 'running' and t.token = g.token and t.lease_id = g.lease_id
        and t.session_id is not distinct from coalesce(g.session_id, t.session_id) and not t.holds_slots
      order by t.id for update of t;${unlessAll('guards')}`

const newRunsWon = `
    get diagnostics _count = row_count;
    if _count <> cardinality(_new_runs) then raise exception 'a run exists' using errcode = '${RUN_EXISTS}'; end if;
    inbox := array(select i.run_id from run_inbox i join ${rowsOf('newRuns')} on n.id = i.run_id);`

const tokensOfLeased = `
    tokens := (select json_object_agg(t.id, t.token) from tasks t join ${rowsOf('taskChanges')} on t.id = c.id
      where c.lease_id is not null);`

function body(): string {
  let count = 0
  const lease = leaseFragment(() => `_dequeue_${++count}`)
  return `declare
  _now timestamptz; _count int;
begin
${locks}
  _now := clock_timestamp();
${writeIfAny('newRuns', newRunsWon)}
${writeIfAny('newTasks')}
${writeIfAny('runChanges')}
  if _ended then
    delete from timers t using runs r join ${rowsOf('runChanges')} on r.id = c.run_id
      where t.run_id = r.id and r.finished_at is not null;
  end if;
${writeIfAny('taskChanges', tokensOfLeased)}
${writeIfAny('payloads')}
${writeIfAny('newTimers')}
  if _dequeues then
    with clock as (select _now as now),${lease.sql}
    select json_agg(${leasedDetail}) into leases from ${leasedSource};
  end if;
${writeIfAny('queued')}
${writeIfAny('events')}
  won := true;
  return next;
end`
}

const result = 'won boolean, inbox uuid[], tokens json, leases json'

/** Types and function, under names that end in \`version\`. */
function definition(version: string): string {
  const types = commonKinds.map((kind) => {
    const fields = fieldsOf(kind).map(({ name, type }) => `${snakeCase(name)} ${type}`)
    return `create type ${typeName(kind, version)} as (${fields.join(', ')});`
  })
  const parameters = [
    ...commonKinds.map((kind) => `_${snakeCase(kind)} ${typeName(kind, version)}[]`),
    ...['_ended boolean', '_dequeues boolean'],
    ...dequeueTypes.map((type, i) => `_dequeue_${i + 1} ${type}`),
  ]
  return `${types.join('\n')}
create function write_common_${version}(${parameters.join(', ')})
returns table (${result}) language plpgsql as $function$
#variable_conflict use_column
${body()}
$function$;`
}

const typeName = (kind: CommonKind, version: string): string => `batch_${snakeCase(kind)}_${version}`

/** Replicas of two releases may use one database: each has the function of its own text. */
export const commonVersion = createHash('sha256').update(definition('')).digest('hex').slice(0, 8)

export const commonDefinition = definition(commonVersion)
export const commonTypeName = (kind: CommonKind): string => typeName(kind, commonVersion)
export const commonFunction = `write_common_${commonVersion}`
