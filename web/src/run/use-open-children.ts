import { useQueries } from '@tanstack/react-query'
import { useMemo } from 'react'
import { hasRunEnded, type Run } from '../api/types'
import { useApi } from '../api/use-api'
import { buildGraph, type GraphModel } from '../graph/graph-model'
import { runQuery, versionQuery } from './run-queries'

const readMs = 2_000

/** Child runs that are open in place, by the key of the task that waits for them. They have no stream of their own here. */
export function useOpenChildren(run: Run, keys: readonly string[]): ReadonlyMap<string, GraphModel> {
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
      return child && version ? [[key, buildGraph(version.graph, child.tasks)]] : []
    })
    return new Map(models)
  }, [stamp, asked.map(({ key }) => key).join()])
}
