import { useQuery } from '@tanstack/react-query'
import { useRefetchInterval } from '../api/live'
import { useApi } from '../api/use-api'
import { RunsTable } from '../runs/runs-table'
import { ErrorNotice } from '../shell/error-notice'
import { Notice, SkeletonRows } from '../ui/states'
import { lineageQuery } from './run-queries'

const parts = [
  ['parents', 'Started by these runs'],
  ['rerunOf', 'A rerun of'],
  ['children', 'Runs that it started'],
  ['reruns', 'Reruns of it'],
] as const

/** Where the run comes from and what came from it, in one call. */
export function RelatedRuns({ runId }: { runId: string }) {
  const refetchInterval = useRefetchInterval()
  const lineage = useQuery({ ...lineageQuery(useApi(), runId), refetchInterval })
  if (lineage.isPending) return <SkeletonRows rows={4} columns={5} />
  if (!lineage.data) return <ErrorNotice error={lineage.error} onRetry={() => void lineage.refetch()} />
  const found = parts.flatMap(([part, title]) => {
    const runs = lineage.data[part]
    return runs.length > 0 ? [{ part, title, runs }] : []
  })
  if (found.length === 0) {
    return (
      <Notice icon="runs" title="No related runs">
        <p>No run started it, it started none, and nobody ran it again.</p>
      </Notice>
    )
  }
  return (
    <div className="run-related">
      {found.map(({ part, title, runs }) => (
        <section key={part} aria-label={title}>
          <h2>{title}</h2>
          <RunsTable runs={runs} />
        </section>
      ))}
    </div>
  )
}
