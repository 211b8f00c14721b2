import {
  type InfiniteData,
  infiniteQueryOptions,
  type QueryKey,
  type UseInfiniteQueryResult,
} from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Button } from '../ui/button'
import { SkeletonRows } from '../ui/states'
import { ErrorNotice } from './error-notice'

export interface ListPage<T> {
  items: readonly T[]
  nextCursor: string | null
}

/** What is asked for a page: `cursor` is absent for the first one. */
export interface PageQuery {
  limit: number
  cursor?: string
}

export const pagedQuery = <Page extends ListPage<unknown>>(
  queryKey: QueryKey,
  readPage: (page: PageQuery) => Promise<Page>,
) =>
  infiniteQueryOptions({
    queryKey,
    queryFn: ({ pageParam }) => readPage({ limit: 50, ...(pageParam === '' ? {} : { cursor: pageParam }) }),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  })

/** For changes that are shown at once: every item that was read, changed in place. */
export const mapItems = <T,>(old: InfiniteData<ListPage<T>>, change: (item: T) => T): InfiniteData<ListPage<T>> => ({
  ...old,
  pages: old.pages.map((page) => ({ ...page, items: page.items.map(change) })),
})

interface PagedListProps<T> {
  list: UseInfiniteQueryResult<InfiniteData<ListPage<T>>>
  columns: number
  /** In place of the table where there is nothing. */
  empty: ReactNode
  more?: string
  children: (items: readonly T[]) => ReactNode
}

/** The states of a list read page by page: loading, error, empty, filled, and the button for more. */
export function PagedList<T>({ list, columns, empty, more = 'Show more', children }: PagedListProps<T>) {
  if (list.isPending) return <SkeletonRows rows={8} columns={columns} />
  if (!list.data) return <ErrorNotice error={list.error} onRetry={() => void list.refetch()} />
  const items = list.data.pages.flatMap((page) => page.items)
  if (items.length === 0) return empty
  return (
    <>
      {children(items)}
      {list.hasNextPage && (
        <div className="list-more">
          <Button busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
            {more}
          </Button>
        </div>
      )}
    </>
  )
}
