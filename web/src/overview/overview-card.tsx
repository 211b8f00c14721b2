import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { ErrorNotice } from '../shell/error-notice'
import { SkeletonRows } from '../ui/states'

interface OverviewCardProps<T> {
  title: string
  /** Beside the title. */
  note?: ReactNode
  query: UseQueryResult<T>
  /** As the content will have them. */
  skeleton?: { rows?: number; columns?: number }
  children: (data: T) => ReactNode
}

/** A card whose content is read by itself: one that cannot be read says so in its place, and the others stand. */
export function OverviewCard<T>({ title, note, query, skeleton, children }: OverviewCardProps<T>) {
  const { data, error, isPending, refetch } = query
  return (
    <section className="card" aria-label={title} aria-busy={isPending}>
      <div className="card-head">
        <h2>{title}</h2>
        {note && <span className="muted">{note}</span>}
      </div>
      {isPending && <SkeletonRows rows={3} columns={3} {...skeleton} />}
      {!isPending && data === undefined && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {data !== undefined && children(data)}
    </section>
  )
}

export const Nothing = ({ children }: { children: ReactNode }) => <p className="muted overview-none">{children}</p>
