import type { Queryable } from '@millrace/postgres'
import type { DequeueRequest } from '../domain/queue.js'
import { createParameters } from './columns.js'
import { type LeasedRow, leasedDetail, leasedSource, leaseFragment } from './lease-fragment.js'

// One round trip claims a whole batch for one worker.
const parameters = createParameters()
const lease = leaseFragment(parameters.next)
const text = `
with clock as materialized (select clock_timestamp() as now),${lease.sql}
select ${leasedDetail} as detail from ${leasedSource}`

export async function leaseTasks(client: Queryable, dequeue: DequeueRequest): Promise<LeasedRow[]> {
  const result = await client.query<{ detail: LeasedRow }>({ name: 'lease-tasks', text, values: lease.bind(dequeue) })
  return result.rows.map((row) => row.detail)
}
