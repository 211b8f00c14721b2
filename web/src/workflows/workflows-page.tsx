import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { useRefetchInterval } from '../api/live'
import type { RunSummary, WorkflowSummary } from '../api/types'
import { useApi } from '../api/use-api'
import { ErrorNotice } from '../shell/error-notice'
import { PageHead } from '../shell/page-head'
import { useSearchState } from '../shell/use-search-state'
import { groupBy } from '../ui/group-by'
import { Notice, SkeletonRows } from '../ui/states'
import { Status } from '../ui/status'
import { Time } from '../ui/time'
import { useListCursor } from '../ui/use-list-cursor'
import { ExampleCards } from './example-cards'
import { RunStrip } from './run-strip'
import { recentRunsQuery, workflowsQuery } from './workflow-queries'
import './workflows.css'

export function WorkflowsPage() {
  const { project } = useApi()
  const [search, change] = useSearchState()
  const [text, setText] = useState(search.q ?? '')
  return (
    <>
      <PageHead
        title="Workflows"
        actions={
          <Link className="button button-primary" to="/p/$project/workflows/new" params={{ project }}>
            New workflow
          </Link>
        }
      >
        <input
          id="workflows-search"
          className="input workflows-search"
          aria-label="Search workflows"
          placeholder="Search  /"
          value={text}
          onChange={(event) => {
            setText(event.target.value)
            change({ q: event.target.value.trim() || undefined })
          }}
        />
      </PageHead>
      <div className="page-body">
        <WorkflowsList q={search.q ?? ''} />
      </div>
    </>
  )
}

function WorkflowsList({ q }: { q: string }) {
  const api = useApi()
  const navigate = useNavigate()
  const refetchInterval = useRefetchInterval()
  const list = useQuery({ ...workflowsQuery(api, q), refetchInterval })
  const recent = useQuery({ ...recentRunsQuery(api), refetchInterval })
  const runs = useMemo(() => groupBy(recent.data?.items ?? [], ({ workflow }) => workflow), [recent.data])
  const items = list.data?.items ?? []
  const open = (index: number) => {
    const name = items[index]?.name
    if (name) void navigate({ to: '/p/$project/workflows/$name', params: { project: api.project, name } })
  }
  const at = useListCursor({ count: items.length, onOpen: open, searchId: 'workflows-search' })
  if (list.isPending) return <SkeletonRows rows={8} columns={5} />
  if (!list.data) return <ErrorNotice error={list.error} onRetry={() => void list.refetch()} />
  if (items.length === 0 && q !== '') return <Notice icon="search" title="No workflow by that name" />
  if (items.length === 0) {
    return (
      <>
        <Notice icon="workflows" title="No workflows yet">
          <p>
            A workflow is a graph of tasks. Begin with one of these: it is created, started, and shown while it runs.
          </p>
        </Notice>
        <ExampleCards />
      </>
    )
  }
  return (
    <div className="table-scroll">
      <table className="table">
        <thead>
          <tr>
            <th>Workflow</th>
            <th className="grow">Description</th>
            <th>Last 30 runs</th>
            <th>Last result</th>
            <th className="number">Last run</th>
            <th className="number">Version</th>
          </tr>
        </thead>
        <tbody>
          {items.map((workflow, index) => (
            <WorkflowRow
              key={workflow.id}
              workflow={workflow}
              runs={runs.get(workflow.name) ?? []}
              index={index}
              active={index === at}
            />
          ))}
        </tbody>
      </table>
    </div>
  )
}

interface WorkflowRowProps {
  workflow: WorkflowSummary
  runs: readonly RunSummary[]
  index: number
  active: boolean
}

function WorkflowRow({ workflow, runs, index, active }: WorkflowRowProps) {
  const { project } = useApi()
  const [last] = runs
  return (
    <tr data-row={index} data-active={active}>
      <td className="runs-workflow">
        <Link to="/p/$project/workflows/$name" params={{ project, name: workflow.name }}>
          {workflow.name}
        </Link>{' '}
        {workflow.paused && <span className="tag">paused</span>}
      </td>
      <td className="grow">
        <span className="runs-note">
          <span className="muted">{workflow.description}</span>
          {workflow.tags?.map((tag) => (
            <span key={tag} className="tag">
              {tag}
            </span>
          ))}
        </span>
      </td>
      <td>
        <RunStrip runs={runs} />
      </td>
      <td>{last ? <Status status={last.status} /> : <span className="muted">never ran</span>}</td>
      <td className="number">
        <Time at={last?.createdAt} />
      </td>
      <td className="number">{workflow.version}</td>
    </tr>
  )
}
