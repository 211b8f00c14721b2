import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { lazy, Suspense, useMemo, useRef } from 'react'
import type { Run } from '../api/types'
import { useApi } from '../api/use-api'
import { buildGraph } from '../graph/graph-model'
import { ErrorNotice } from '../shell/error-notice'
import { PageHead } from '../shell/page-head'
import { useSearchState } from '../shell/use-search-state'
import { CopyId } from '../ui/copy'
import { Icon } from '../ui/icons'
import { SkeletonRows } from '../ui/states'
import { Status } from '../ui/status'
import { Tabs } from '../ui/tabs'
import { Duration, Time } from '../ui/time'
import { useKeys } from '../ui/use-keys'
import { useNarrow } from '../ui/use-narrow'
import { useMapCounts, useTask } from './map-items'
import { RelatedRuns } from './related-runs'
import { RunActions } from './run-actions'
import { RunData } from './run-data'
import { RunFacts } from './run-facts'
import { useLiveRun, versionQuery } from './run-queries'
import { TaskDrawer } from './task-drawer'
import { TaskList } from './task-list'
import { Timeline } from './timeline'
import { useDrawerFocus } from './use-drawer-focus'
import { useOpenChildren } from './use-open-children'
import './run.css'

// Asked for together with the run, not after it.
const drawing = import('../graph/graph-view')
const GraphView = lazy(() => drawing.then((module) => ({ default: module.GraphView })))

const views = [
  { id: 'graph', label: 'Graph' },
  { id: 'timeline', label: 'Timeline' },
  { id: 'list', label: 'List' },
  { id: 'data', label: 'Input and output' },
  { id: 'related', label: 'Related runs' },
] as const
type View = (typeof views)[number]['id']

export function RunPage() {
  const { runId } = useParams({ strict: false }) as { runId: string }
  const api = useApi()
  const run = useLiveRun(api, runId)
  if (run.isPending) return <SkeletonRows rows={10} columns={4} />
  if (!run.data) return <ErrorNotice error={run.error} onRetry={() => void run.refetch()} />
  return <RunView key={runId} run={run.data} behind={run.behind} />
}

function RunView({ run, behind }: { run: Run; behind: boolean }) {
  const { project } = useApi()
  return (
    <div className="room-tall">
      <PageHead
        title={run.workflow}
        above={
          <Link to="/p/$project/runs" params={{ project }} search={{ workflow: run.workflow }}>
            Runs of {run.workflow}
          </Link>
        }
        beside={
          <>
            <Status status={run.status} />
            <CopyId id={run.id} />
            <span className="muted">
              <Duration from={run.startedAt} to={run.finishedAt} /> · <Time at={run.createdAt} />
            </span>
          </>
        }
        actions={<RunActions run={run} />}
      >
        <RunFacts run={run} />
        {behind && (
          <div className="banner banner-warn" role="status">
            <Icon name="warning" size={14} /> The stream of this run broke. What you see may be behind; reconnecting…
          </div>
        )}
      </PageHead>
      <RunBody run={run} />
    </div>
  )
}

/** What is selected is in the address: one selection for graph, timeline and list. */
function RunBody({ run }: { run: Run }) {
  const api = useApi()
  const [search, change] = useSearchState()
  const critical = search.path === 'critical'
  const version = useQuery(versionQuery(api, run.workflow, run.version))
  const items = useMapCounts(run)
  const model = useMemo(() => buildGraph(version.data?.graph, run.tasks, items), [version.data, run.tasks, items])
  // A graph needs width; on a narrow screen the list says more.
  const usual: View = useNarrow() ? 'list' : 'graph'
  const view: View = views.find(({ id }) => id === search.view)?.id ?? usual
  const index = search.index === undefined ? undefined : Number(search.index)
  const task = useTask(run, search.task, index)
  const drawer = useRef<HTMLElement>(null)
  const name = task && `${task.key}[${task.index ?? ''}]`
  const onChoose = useDrawerFocus(drawer, name)
  const select = (key: string, at?: number) => {
    onChoose()
    change({ task: key, index: at === undefined ? undefined : String(at), line: undefined })
  }
  const close = () => change({ task: undefined, index: undefined, line: undefined })
  const openKeys = (search.open ?? '').split(',').filter((key) => key !== '')
  const children = useOpenChildren(run, openKeys)
  const toggle = (key: string) => {
    const next = openKeys.includes(key) ? openKeys.filter((each) => each !== key) : [...openKeys, key]
    change({ open: next.join() || undefined })
  }
  const navigate = useNavigate()
  const openChild = (key: string, childKey: string) => {
    const runId = run.tasks.find((each) => each.key === key && each.index === undefined)?.childRunId
    if (!runId) return
    const params = { project: api.project, runId }
    void navigate({ to: '/p/$project/runs/$runId', params, search: { task: childKey } })
  }
  useKeys({ Escape: close })
  const counted = views.map((each) => (each.id === 'list' ? { ...each, count: run.tasks.length } : each))
  return (
    <div className="run-body" data-drawer={task !== undefined}>
      <section className="run-views" aria-label="Tasks">
        <div className="run-tabs">
          <Tabs
            label="View"
            items={counted}
            selected={view}
            onSelect={(id) => change({ view: id === usual ? undefined : id })}
          />
          {view === 'graph' && (
            <label className="run-critical">
              <input
                type="checkbox"
                checked={critical}
                onChange={(event) => change({ path: event.target.checked ? 'critical' : undefined })}
              />{' '}
              Critical path
            </label>
          )}
        </div>
        <div className="run-view">
          {view === 'graph' && !version.isLoading && (
            <Suspense fallback={<div className="graph-wait" aria-busy="true" />}>
              <GraphView
                model={model}
                selected={search.task}
                onSelect={select}
                critical={critical}
                open={children}
                onToggle={toggle}
                onSelectChild={openChild}
              />
            </Suspense>
          )}
          {view === 'timeline' && (
            <Timeline run={run} needs={model.edges} items={items} selected={search.task} onSelect={select} />
          )}
          {view === 'list' && (
            <TaskList tasks={run.tasks} selectedKey={search.task} selectedIndex={index} onSelect={select} />
          )}
          {view === 'data' && <RunData run={run} />}
          {view === 'related' && <RelatedRuns runId={run.id} />}
        </div>
      </section>
      {task && <TaskDrawer ref={drawer} key={name} run={run} task={task} onClose={close} onSelect={select} />}
    </div>
  )
}
