import { useSyncExternalStore } from 'react'
import { useLiveState } from '../api/live'
import { Icon } from '../ui/icons'

function subscribe(listener: () => void): () => void {
  window.addEventListener('online', listener)
  window.addEventListener('offline', listener)
  return () => {
    window.removeEventListener('online', listener)
    window.removeEventListener('offline', listener)
  }
}

/** Says when what is on screen may be behind. */
export function ConnectionBanner() {
  const online = useSyncExternalStore(subscribe, () => navigator.onLine)
  const live = useLiveState()
  if (online && live !== 'reconnecting') return null
  return (
    <div className="banner banner-warn connection" role="status">
      <Icon name="warning" size={14} />
      {online
        ? 'The connection to Millrace was lost. What you see may be behind; reconnecting…'
        : 'You are offline. What you see is from before.'}
    </div>
  )
}
