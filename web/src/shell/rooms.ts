import type { IconName } from '../ui/icons'

export interface Room {
  id: string
  label: string
  icon: IconName
  /** Second key after `g`. */
  key: string
}

/** In the order of the rail. */
export const rooms = [
  { id: 'overview', label: 'Overview', icon: 'overview', key: 'o' },
  { id: 'runs', label: 'Runs', icon: 'runs', key: 'r' },
  { id: 'workflows', label: 'Workflows', icon: 'workflows', key: 'w' },
  { id: 'approvals', label: 'Approvals', icon: 'approvals', key: 'a' },
  { id: 'schedules', label: 'Schedules', icon: 'schedules', key: 's' },
  { id: 'dead-letters', label: 'Dead letters', icon: 'dead-letters', key: 'd' },
  { id: 'workers', label: 'Workers and queues', icon: 'workers', key: 'q' },
  { id: 'notifications', label: 'Notifications', icon: 'notifications', key: 'n' },
  { id: 'artifacts', label: 'Artifacts', icon: 'artifacts', key: 'f' },
  { id: 'settings', label: 'Settings', icon: 'settings', key: ',' },
] as const satisfies readonly Room[]
