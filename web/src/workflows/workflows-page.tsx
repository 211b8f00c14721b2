import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useRefetchInterval } from '../api/live'
import type { WorkflowSummary } from '../api/types'
import { useApi } from '../api/use-api'
import { ErrorNotice } from '../shell/error-notice'
import { PageHead } from '../shell/page-head'
import { useSearchState } from '../shell/use-search-state'
import { formatDuration } from '../ui/format'
import { Icon } from '../ui/icons'
import { Notice, SkeletonRows } from '../ui/states'
import { Status } from '../ui/status'
import { Time } from '../ui/time'
import { useListCursor } from '../ui/use-list-cursor'
import { ExampleCards } from './example-cards'
import { RunStrip } from './run-strip'
import { useActivity, type WorkflowActivity } from './use-activity'
import { workflowsQuery } from './workflow-queries'
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
        {search.tag && (
          <button type="button" className="tag tag-button" onClick={() => change({ tag: undefined })}>
            {search.tag} <Icon name="close" size={10} />
            <span className="visually-hidden">: show all tags</span>
          </button>
        )}
      </PageHead>
      <div className="page-body">
        <WorkflowsList q={search.q ?? ''} tag={search.tag ?? ''} onTag={(tag) => change({ tag })} />
      </div>
    </>
  )
}

interface WorkflowsListProps {
  q: string
  tag: string
  onTag: (tag: string) => void
}

function WorkflowsList({ q, tag, onTag }: WorkflowsListProps) {
  const api = useApi()
  const navigate = useNavigate()
  const refetchInterval = useRefetchInterval()
  const list = useQuery({ ...workflowsQuery(api, q, tag), refetchInterval })
  const items = list.data?.items ?? []
  const activity = useActivity(items)
  const open = (index: number) => {
    const name = items[index]?.name
    if (name) void navigate({ to: '/p/$project/workflows/$name', params: { project: api.project, name } })
  }
  const at = useListCursor({ count: items.length, onOpen: open, searchId: 'workflows-search' })
  if (list.isPending) return <SkeletonRows rows={8} columns={5} />
  if (!list.data) return <ErrorNotice error={list.error} onRetry={() => void list.refetch()} />
  if (items.length === 0 && (q !== '' || tag !== '')) return <Notice icon="search" title="No workflow matches" />
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
            <th className="number" title="Of the runs shown at the left">
              p95
            </th>
            <th className="number">Last run</th>
            <th className="number">Next</th>
          </tr>
        </thead>
        <tbody>
          {items.map((workflow, index) => (
            <WorkflowRow
              key={workflow.id}
              workflow={workflow}
              activity={activity(workflow.name)}
              onTag={onTag}
              index={index}
              active={index === at}
            />
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** More would leave no room for the description; all are on the workflow's own page. */
const shownTags = 2

interface WorkflowRowProps {
  workflow: WorkflowSummary
  activity: WorkflowActivity
  onTag: (tag: string) => void
  index: number
  active: boolean
}

function WorkflowRow({ workflow, activity: { runs, known, p95, nextAt }, index, active, onTag }: WorkflowRowProps) {
  const { project } = useApi()
  const [last] = runs
  const { tags = [] } = workflow
  return (
    <tr data-row={index} data-active={active}>
      <td className="workflows-name" title={workflow.name}>
        <Link to="/p/$project/workflows/$name" params={{ project, name: workflow.name }}>
          {workflow.name}
        </Link>{' '}
        <span className="muted">v{workflow.version}</span> {workflow.paused && <span className="tag">paused</span>}
      </td>
      <td className="grow">
        <span className="workflows-note">
          {workflow.description && (
            <span className="muted workflows-about" title={workflow.description}>
              {workflow.description}
            </span>
          )}
          {tags.slice(0, shownTags).map((tag) => (
            <button key={tag} type="button" className="tag tag-button" onClick={() => onTag(tag)}>
              {tag}
            </button>
          ))}
          {tags.length > shownTags && (
            <span className="tag" title={tags.slice(shownTags).join(', ')}>
              +{tags.length - shownTags}
            </span>
          )}
        </span>
      </td>
      <td>
        <RunStrip runs={runs} />
      </td>
      <td>{last ? <Status status={last.status} /> : <span className="muted">{known ? 'never ran' : '…'}</span>}</td>
      <td className="number">{p95 === undefined ? <span className="muted">–</span> : formatDuration(p95)}</td>
      <td className="number">
        <Time at={last?.createdAt} />
      </td>
      <td className="number">
        <Time at={nextAt} />
      </td>
    </tr>
  )
}
