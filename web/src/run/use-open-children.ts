import { useQueries } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import { hasRunEnded, type Run } from '../api/types'
import { useApi } from '../api/use-api'
import { buildGraph, type GraphModel } from '../graph/graph-model'
import { useSearchState } from '../shell/use-search-state'
import { runQuery, versionQuery } from './run-queries'
import { spansOf } from './task-spans'

const readMs = 2_000

/** Child runs that are open in place, by the key of the task that waits for them. They have no stream of their own here. */
function useOpenChildren(run: Run, keys: readonly string[]): ReadonlyMap<string, GraphModel> {
  const api = useApi()
  const asked = keys.flatMap((key) => {
    const childRunId = run.tasks.find((task) => task.key === key && task.index === undefined)?.childRunId
    return childRunId ? [{ key, childRunId }] : []
  })
  const children = useQueries({
    queries: asked.map(({ childRunId }) => ({
      ...runQuery(api, childRunId),
      refetchInterval: ({ state }: { state: { data?: Run | undefined } }) =>
        state.data && hasRunEnded(state.data.status) ? (false as const) : readMs,
    })),
  })
  const versions = useQueries({
    queries: children.map(({ data }) => ({
      ...versionQuery(api, data?.workflow ?? '', data?.version ?? 0),
      enabled: data !== undefined,
    })),
  })
  const stamp = [...children, ...versions].map(({ dataUpdatedAt }) => dataUpdatedAt).join()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the lists are new each time; what they hold changes with their times
  return useMemo(() => {
    const models = asked.flatMap(({ key }, at): [string, GraphModel][] => {
      const [child, version] = [children[at]?.data, versions[at]?.data]
      if (!child || !version) return []
      const spans = spansOf(child.tasks, version.graph?.edges ?? [], child.createdAt)
      return [[key, buildGraph(version.graph, child.tasks, undefined, spans)]]
    })
    return new Map(models)
  }, [stamp, asked.map(({ key }) => key).join()])
}

/** Sub-workflows in a run's graph: which are open is in the address. */
export function useChildGraphs(run: Run) {
  const { project } = useApi()
  const [search, change] = useSearchState()
  const navigate = useNavigate()
  const keys = (search.open ?? '').split(',').filter((key) => key !== '')
  const open = useOpenChildren(run, keys)
  const onToggle = (key: string) => {
    const next = keys.includes(key) ? keys.filter((each) => each !== key) : [...keys, key]
    change({ open: next.join() || undefined })
  }
  const onSelectChild = (key: string, childKey: string) => {
    const runId = run.tasks.find((each) => each.key === key && each.index === undefined)?.childRunId
    if (runId) void navigate({ to: '/p/$project/runs/$runId', params: { project, runId }, search: { task: childKey } })
  }
  return { open, onToggle, onSelectChild }
}
