import { Link } from '@tanstack/react-router'
import { lazy, type Ref, Suspense, useState } from 'react'
import { hasRunEnded, hasTaskEnded, type Run, type Task } from '../api/types'
import { useApi, useMay } from '../api/use-api'
import { useSearchState } from '../shell/use-search-state'
import { Button } from '../ui/button'
import { Json } from '../ui/json'
import { Status } from '../ui/status'
import { Tabs } from '../ui/tabs'
import { Duration } from '../ui/time'
import { Decide } from './decide'
import { RerunDialog } from './rerun-dialog'
import { SignalDialog } from './signal-dialog'
import { TaskArtifacts } from './task-artifacts'
import { TaskAttempts } from './task-attempts'
import { TaskItems } from './task-items'
import { type TaskSpans, timesOf } from './task-spans'
import { TaskWhy } from './task-why'

const LogView = lazy(() => import('../logs/log-view').then((module) => ({ default: module.LogView })))

const tabNames = ['items', 'why', 'logs', 'input', 'output', 'attempts', 'artifacts'] as const
type Tab = (typeof tabNames)[number]

const labels: Record<Tab, string> = {
  items: 'Items',
  logs: 'Logs',
  input: 'Input',
  output: 'Output',
  attempts: 'Attempts',
  artifacts: 'Artifacts',
  why: 'Why is this not running?',
}

interface TaskDrawerProps {
  ref: Ref<HTMLElement>
  run: Run
  task: Task
  spans: TaskSpans
  onClose: () => void
  onSelect: (key: string, index?: number) => void
}

function tabsOf(task: Task): Tab[] {
  const isMap = task.uses === 'map' && task.index === undefined
  return tabNames.filter((name) => {
    if (name === 'items') return isMap
    if (name === 'logs') return !isMap
    return name !== 'why' || !(hasTaskEnded(task.status) || task.status === 'running')
  })
}

export function TaskDrawer({ ref, run, task, spans, onClose, onSelect }: TaskDrawerProps) {
  const [search, change] = useSearchState()
  const tabs = tabsOf(task)
  const tab = tabs.find((name) => name === search.tab) ?? tabs[0] ?? 'logs'
  const choose = (name: Tab) => change({ tab: name, line: undefined })
  return (
    <aside className="drawer" ref={ref} tabIndex={-1} aria-label={`Task ${task.key}`}>
      <DrawerHead run={run} task={task} spans={spans} onClose={onClose} />
      <Tabs
        label="Of this task"
        items={tabs.map((id) => ({ id, label: labels[id] }))}
        selected={tab}
        onSelect={choose}
      />
      <div className="drawer-body" role="tabpanel" aria-label={labels[tab]}>
        {tab === 'items' && <TaskItems run={run} taskKey={task.key} onSelect={onSelect} />}
        {tab === 'logs' && (
          <Suspense fallback={<div aria-busy="true" />}>
            {task.jobId ? (
              <LogView
                jobId={task.jobId}
                attempt={task.attempt}
                ended={hasTaskEnded(task.status) || hasRunEnded(run.status)}
                query={{ text: search.find ?? '', level: search.level ?? 'debug', only: search.match === 'only' }}
                onQuery={({ text, level, only }) =>
                  change({
                    ...(text === undefined ? {} : { find: text || undefined }),
                    ...(level === undefined ? {} : { level: level === 'debug' ? undefined : level }),
                    ...(only === undefined ? {} : { match: only ? 'only' : undefined }),
                  })
                }
                line={search.line}
                onLink={(line) => change({ line })}
              />
            ) : (
              <p className="muted drawer-pad">Nothing was logged: the task has not begun.</p>
            )}
          </Suspense>
        )}
        {tab === 'input' && <TaskInput task={task} />}
        {tab === 'output' && <TaskOutput task={task} />}
        {tab === 'attempts' && <TaskAttempts task={task} />}
        {tab === 'artifacts' && <TaskArtifacts runId={run.id} task={task} />}
        {tab === 'why' && <TaskWhy runId={run.id} task={task} />}
      </div>
    </aside>
  )
}

function DrawerHead({ run, task, spans, onClose }: Pick<TaskDrawerProps, 'run' | 'task' | 'spans' | 'onClose'>) {
  const { project } = useApi()
  const may = useMay('operator')
  const [rerun, setRerun] = useState(false)
  const took = timesOf(task, spans)
  const name = task.index === undefined ? task.key : `${task.key}[${task.index}]`
  return (
    <header className="drawer-head">
      <div className="drawer-line">
        <h2>{name}</h2>
        <Button look="quiet" icon="close" aria-label="Close the task" onClick={onClose} />
      </div>
      <div className="drawer-line drawer-facts">
        <Status status={task.status} />
        <code className="muted">{task.uses}</code>
        <span className="muted">
          attempt {task.attempt} of {task.maxAttempts}
        </span>
        {took.from && (
          <span className="muted">
            <Duration {...took} />
          </span>
        )}
        {task.compensates && <span className="muted">undoes {task.compensates}</span>}
        {task.childRunId && (
          <Link to="/p/$project/runs/$runId" params={{ project, runId: task.childRunId }}>
            Child run
          </Link>
        )}
        {hasTaskEnded(task.status) && run.finishedAt && !task.compensates && (
          <Button small disabled={!may} icon="play" onClick={() => setRerun(true)}>
            Rerun from here…
          </Button>
        )}
      </div>
      {task.status === 'running' && task.progress && (
        <p className="drawer-line muted">
          {task.progress.percent !== undefined && `${Math.round(task.progress.percent)} %`} {task.progress.message}
        </p>
      )}
      {task.error && (
        <div className="banner banner-danger">
          <strong>{task.error.class}</strong>
          <span className="run-error">{task.error.message}</span>
        </div>
      )}
      <WaitsFor run={run} task={task} />
      {rerun && <RerunDialog run={run} from={name} onClose={() => setRerun(false)} />}
    </header>
  )
}

/** What would let a waiting task go on, and the means to do it. */
function WaitsFor({ run, task }: { run: Run; task: Task }) {
  const { project } = useApi()
  const maySignal = useMay('operator')
  const [signal, setSignal] = useState(false)
  const { waitingFor } = task
  if (task.status !== 'waiting' || !waitingFor) return null
  const { kind, message, role, name, runId, done, total } = waitingFor
  if (kind === 'approval') {
    return (
      <>
        {message && <p className="drawer-message">{message}</p>}
        <Decide runId={run.id} taskKey={task.key} role={role ?? 'operator'} />
      </>
    )
  }
  if (kind === 'signal') {
    return (
      <div className="drawer-line">
        Waits for the signal <code>{name}</code>
        <Button
          small
          disabled={!maySignal}
          title={maySignal ? undefined : 'You need the role operator'}
          onClick={() => setSignal(true)}
        >
          Send it…
        </Button>
        {signal && <SignalDialog run={run} name={name ?? ''} onClose={() => setSignal(false)} />}
      </div>
    )
  }
  if (kind === 'map') return <p className="muted">{`${done ?? 0} of ${total ?? 0} items have ended.`}</p>
  return runId ? (
    <Link to="/p/$project/runs/$runId" params={{ project, runId }}>
      Waits for its child run
    </Link>
  ) : null
}

/** The resolved `with`: known once the first attempt was prepared. */
function TaskInput({ task }: { task: Task }) {
  if (task.input === null || task.input === undefined)
    return <p className="muted drawer-pad">The task was given nothing, or its input is not known before it begins.</p>
  return <Json label="Input" value={task.input} />
}

function TaskOutput({ task }: { task: Task }) {
  if (task.output === null || task.output === undefined)
    return (
      <p className="muted drawer-pad">
        {hasTaskEnded(task.status) ? 'The task has no output.' : 'There is none before the task ends.'}
      </p>
    )
  return <Json label="Output" value={task.output} />
}
