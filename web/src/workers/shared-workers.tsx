import { formatCount, plural } from '../ui/format'
import { Icon } from '../ui/icons'
import { Slots } from './slots'
import type { SharedWorkers } from './worker-queries'
import './workers.css'

/** Whether the platform's own workers live, for those who may not see which they are. */
export function SharedWorkersLine({ shared: { alive, slots, used } }: { shared: SharedWorkers }) {
  if (alive === 0) {
    return (
      <p className="workers-shared tone-failed">
        <Icon name="warning" /> No shared worker is active: tasks wait that no worker of this project’s own executes.
      </p>
    )
  }
  return (
    <p className="workers-shared">
      <span>{plural(alive, 'shared worker')} active</span>
      <Slots used={used} of={slots} /> <span className="muted">{formatCount(Math.max(0, slots - used))} free</span>
    </p>
  )
}
