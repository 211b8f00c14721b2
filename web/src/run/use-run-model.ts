import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { Run } from '../api/types'
import { useApi } from '../api/use-api'
import { buildGraph } from '../graph/graph-model'
import { useMapCounts } from './map-items'
import { versionQuery } from './run-queries'
import { spansOf } from './task-spans'

/** What graph, timeline and list draw of a run: all three the same tasks, counts and times. */
export function useRunModel(run: Run) {
  const version = useQuery(versionQuery(useApi(), run.workflow, run.version))
  const items = useMapCounts(run)
  const graph = version.data?.graph
  const { tasks, createdAt } = run
  const spans = useMemo(() => spansOf(tasks, graph?.edges ?? [], createdAt), [tasks, graph, createdAt])
  const model = useMemo(() => buildGraph(graph, tasks, items, spans), [graph, tasks, items, spans])
  return { model, items, spans, isLoading: version.isLoading }
}
