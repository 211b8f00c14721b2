import { Link, useParams } from '@tanstack/react-router'
import { lazy, Suspense, useRef } from 'react'
import type { Run } from '../api/types'
import { useApi } from '../api/use-api'
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
import { carriedItems, useAllTasks, useTask } from './map-items'
import { RelatedRuns } from './related-runs'
import { RunActions } from './run-actions'
import { RunData } from './run-data'
import { RunFacts } from './run-facts'
import { useLiveRun } from './run-queries'
import { TaskDrawer } from './task-drawer'
import { TaskList } from './task-list'
import { countTasks } from './task-rows'
import { Timeline } from './timeline'
import { useDrawerFocus } from './use-drawer-focus'
import { useChildGraphs } from './use-open-children'
import { useRunModel } from './use-run-model'
import './run.css'
import './tasks.css'

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
  const [search, change] = useSearchState()
  const critical = search.path === 'critical'
  const { model, items, spans, isLoading } = useRunModel(run)
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
  const close = () =>
    change({
      ...{ task: undefined, index: undefined, line: undefined },
      ...{ find: undefined, level: undefined, match: undefined },
    })
  const children = useChildGraphs(run)
  useKeys({ Escape: close })
  const total = countTasks(run.tasks, items, carriedItems)
  const all = useAllTasks(run, view === 'list')
  const counted = views.map((each) => (each.id === 'list' ? { ...each, count: total } : each))
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
          {view === 'graph' && !isLoading && (
            <Suspense fallback={<div className="graph-wait" aria-busy="true" />}>
              <GraphView model={model} selected={search.task} onSelect={select} critical={critical} {...children} />
            </Suspense>
          )}
          {view === 'timeline' && (
            <Timeline run={run} needs={model.edges} items={items} selected={search.task} onSelect={select} />
          )}
          {view === 'list' && (
            <TaskList
              tasks={all}
              total={total}
              spans={spans}
              selectedKey={search.task}
              selectedIndex={index}
              onSelect={select}
            />
          )}
          {view === 'data' && <RunData run={run} />}
          {view === 'related' && <RelatedRuns runId={run.id} />}
        </div>
      </section>
      {task && (
        <TaskDrawer ref={drawer} key={name} run={run} task={task} spans={spans} onClose={close} onSelect={select} />
      )}
    </div>
  )
}
