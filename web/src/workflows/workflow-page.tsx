import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { lazy, Suspense, useMemo } from 'react'
import { read } from '../api/client'
import type { Workflow } from '../api/types'
import { useApi, useMay } from '../api/use-api'
import { buildGraph } from '../graph/graph-model'
import { ErrorNotice } from '../shell/error-notice'
import { PageHead } from '../shell/page-head'
import { useAction } from '../shell/use-action'
import { useSearchState } from '../shell/use-search-state'
import { Button } from '../ui/button'
import { SkeletonRows } from '../ui/states'
import { Tabs } from '../ui/tabs'
import { WorkflowHooks } from './workflow-hooks'
import { workflowQuery } from './workflow-queries'
import { WorkflowRuns } from './workflow-runs'
import { WorkflowSchedules } from './workflow-schedules'
import { WorkflowStats } from './workflow-stats'
import { WorkflowVersions } from './workflow-versions'
import './workflows.css'

const GraphView = lazy(() => import('../graph/graph-view').then((module) => ({ default: module.GraphView })))
const DefinitionText = lazy(() => import('./definition-text').then((module) => ({ default: module.DefinitionText })))

const views = [
  { id: 'graph', label: 'Graph' },
  { id: 'yaml', label: 'YAML' },
  { id: 'runs', label: 'Runs' },
  { id: 'schedules', label: 'Schedules' },
  { id: 'hooks', label: 'Hooks' },
  { id: 'tasks', label: 'Tasks' },
  { id: 'versions', label: 'Versions' },
] as const

export function WorkflowPage() {
  const { name } = useParams({ strict: false }) as { name: string }
  const api = useApi()
  const workflow = useQuery(workflowQuery(api, name))
  if (workflow.isPending) return <SkeletonRows rows={8} columns={4} />
  if (!workflow.data) return <ErrorNotice error={workflow.error} onRetry={() => void workflow.refetch()} />
  return <WorkflowView workflow={workflow.data} />
}

function WorkflowView({ workflow }: { workflow: Workflow }) {
  const { project } = useApi()
  const [search, change] = useSearchState()
  const model = useMemo(() => buildGraph(workflow.graph, []), [workflow.graph])
  const view = views.find(({ id }) => id === search.view)?.id ?? 'graph'
  return (
    <div className="room-tall">
      <PageHead
        title={workflow.name}
        above={
          <Link to="/p/$project/workflows" params={{ project }}>
            Workflows
          </Link>
        }
        beside={
          <>
            <span className="muted">version {workflow.version}</span>
            {workflow.paused && <span className="tag">paused</span>}
            {workflow.tags?.map((tag) => (
              <span key={tag} className="tag">
                {tag}
              </span>
            ))}
          </>
        }
        actions={<WorkflowActions workflow={workflow} />}
      >
        {workflow.description && <p className="muted">{workflow.description}</p>}
        {workflow.paused && (
          <div className="banner banner-warn">This workflow is paused: new runs wait until it is resumed.</div>
        )}
      </PageHead>
      <div className="workflow-tabs">
        <Tabs
          label="View"
          items={views}
          selected={view}
          onSelect={(id) => change({ view: id === 'graph' ? undefined : id })}
        />
      </div>
      <div className="workflow-view">
        <Suspense fallback={<div aria-busy="true" />}>
          {view === 'graph' && <GraphView model={model} />}
          {view === 'yaml' && <DefinitionText definition={workflow.definition} />}
        </Suspense>
        {view === 'runs' && <WorkflowRuns name={workflow.name} />}
        {view === 'schedules' && <WorkflowSchedules name={workflow.name} />}
        {view === 'hooks' && <WorkflowHooks name={workflow.name} />}
        {view === 'tasks' && <WorkflowStats name={workflow.name} />}
        {view === 'versions' && <WorkflowVersions workflow={workflow} />}
      </div>
    </div>
  )
}

function WorkflowActions({ workflow }: { workflow: Workflow }) {
  const { project } = useApi()
  const mayRun = useMay('operator')
  const mayEdit = useMay('editor')
  const { name, paused } = workflow
  const toggle = useAction({
    run: (api) => {
      const params = { path: { name } }
      return paused
        ? read(api.client.POST('/api/v1/workflows/{name}/resume', { params }))
        : read(api.client.POST('/api/v1/workflows/{name}/pause', { params }))
    },
    done: paused ? 'New runs go again' : 'New runs wait',
    touches: ['workflow', name],
    optimistic: { queryKey: ['workflow', name, 'latest'], update: (old: Workflow) => ({ ...old, paused: !paused }) },
  })
  return (
    <>
      {mayRun && (
        <Link className="button button-primary" to="/p/$project/workflows/$name/start" params={{ project, name }}>
          Start a run
        </Link>
      )}
      <Link className="button" to="/p/$project/workflows/$name/edit" params={{ project, name }}>
        {mayEdit ? 'Edit' : 'View source'}
      </Link>
      <Button
        icon={paused ? 'play' : 'pause'}
        disabled={!mayRun}
        title={mayRun ? undefined : 'You need the role operator'}
        onClick={() => toggle.mutate()}
      >
        {paused ? 'Resume' : 'Pause'}
      </Button>
    </>
  )
}
