import { Status } from '../ui/status'
import { Table } from '../ui/table'
import { Time } from '../ui/time'
import type { Worker } from './worker-queries'

/** Peers that workers do not call for now. What needs them waits, and uses up no attempt. */
export function OpenCircuits({ workers }: { workers: readonly Worker[] }) {
  const circuits = workers.flatMap(({ id, name, circuits: open }) =>
    open.map((circuit) => ({ ...circuit, worker: name, key: `${id} ${circuit.uses} ${circuit.peer}` })),
  )
  return (
    <section aria-label="Open circuits">
      <div className="workers-head">
        <h2>Open circuits</h2>
        <span className="muted">
          {circuits.length === 0
            ? 'None among the workers shown here. A task that waits for one says so on its run.'
            : 'Most calls to these hosts failed. Tasks that need them wait until they are tried again, and use up no attempt.'}
        </span>
      </div>
      {circuits.length > 0 && (
        <Table columns={[['Host', 'grow'], 'State', 'Uses', 'Worker', ['Tried again', 'number']]}>
          {circuits.map(({ key, peer, uses, worker, retryAt }) => (
            <tr key={key}>
              <td className="grow">
                <code>{peer}</code>
              </td>
              <td>
                <Status status="open" look="circuit-open" />
              </td>
              <td>
                <code>{uses}</code>
              </td>
              <td>{worker}</td>
              <td className="number">
                <Time at={retryAt} />
              </td>
            </tr>
          ))}
        </Table>
      )}
    </section>
  )
}
