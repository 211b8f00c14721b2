import type { ErrorComponentProps } from '@tanstack/react-router'
import { ErrorNotice } from './error-notice'

/** A defect in a room leaves the rest of the console usable. */
export function RoomError({ error, reset }: ErrorComponentProps) {
  return <ErrorNotice error={error} onRetry={reset} />
}
