import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useRefetchInterval } from '../api/live'
import type { WorkflowSummary } from '../api/types'
import { useApi } from '../api/use-api'
import { PageHead } from '../shell/page-head'
import { PagedList } from '../shell/paged-list'
import { useSearchState } from '../shell/use-search-state'
import { formatCount, formatDuration } from '../ui/format'
import { Icon } from '../ui/icons'
import { Notice } from '../ui/states'
import { Status } from '../ui/status'
import { Time } from '../ui/time'
import { useListCursor } from '../ui/use-list-cursor'
import { ExampleCards } from './example-cards'
import { RunStrip } from './run-strip'
import { workflowListQuery } from './workflow-queries'
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
  const refetchInterval = useRefetchInterval()
  const list = useInfiniteQuery({ ...workflowListQuery(api, q, tag), refetchInterval, placeholderData: (old) => old })
  const empty =
    q !== '' || tag !== '' ? (
      <Notice icon="search" title="No workflow matches" />
    ) : (
      <>
        <Notice icon="workflows" title="No workflows yet">
          <p>
            A workflow is a graph of tasks. Begin with one of these: it is created, started, and shown while it runs.
          </p>
        </Notice>
        <ExampleCards />
      </>
    )
  return (
    <PagedList list={list} columns={5} empty={empty} more="Older workflows">
      {(items) => <WorkflowTable workflows={items} onTag={onTag} />}
    </PagedList>
  )
}

function WorkflowTable({ workflows, onTag }: { workflows: readonly WorkflowSummary[]; onTag: (tag: string) => void }) {
  const { project } = useApi()
  const navigate = useNavigate()
  const open = (index: number) => {
    const name = workflows[index]?.name
    if (name) void navigate({ to: '/p/$project/workflows/$name', params: { project, name } })
  }
  const at = useListCursor({ count: workflows.length, onOpen: open, searchId: 'workflows-search' })
  return (
    <div className="table-scroll">
      <table className="table">
        <thead>
          <tr>
            <th>Workflow</th>
            <th className="grow">Description</th>
            <th title="Runs that ended, the latest at the right">Last 30 runs</th>
            <th>Last result</th>
            <th className="number" title="Of the runs shown at the left">
              p95
            </th>
            <th className="number">Open</th>
            <th className="number">Next</th>
          </tr>
        </thead>
        <tbody>
          {workflows.map((workflow, index) => (
            <WorkflowRow key={workflow.id} workflow={workflow} onTag={onTag} index={index} active={index === at} />
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
  onTag: (tag: string) => void
  index: number
  active: boolean
}

function WorkflowRow({ workflow, index, active, onTag }: WorkflowRowProps) {
  const { project } = useApi()
  const { tags = [], activity } = workflow
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
      {activity && <ActivityCells workflow={workflow.name} activity={activity} />}
    </tr>
  )
}

interface ActivityCellsProps {
  workflow: string
  activity: NonNullable<WorkflowSummary['activity']>
}

function ActivityCells({ workflow, activity: { runs, last, p95, open, nextAt } }: ActivityCellsProps) {
  const { project } = useApi()
  return (
    <>
      <td>
        <RunStrip runs={runs} />
      </td>
      <td>
        {last ? (
          <Link
            className="workflows-last"
            to="/p/$project/runs/$runId"
            params={{ project, runId: last.id }}
            title="The run that ended last"
          >
            <Status status={last.status} /> <Time at={last.finishedAt} />
          </Link>
        ) : (
          <span className="muted">{open === 0 ? 'never ran' : 'none yet'}</span>
        )}
      </td>
      <td className="number">{p95 === null ? <span className="muted">–</span> : formatDuration(p95)}</td>
      <td className="number">
        {open === 0 ? (
          <span className="muted">–</span>
        ) : (
          <Link
            to="/p/$project/runs"
            params={{ project }}
            search={{ workflow, status: 'queued,running,paused,cancelling' }}
          >
            {formatCount(open)}
          </Link>
        )}
      </td>
      <td className="number">
        <Time at={nextAt} />
      </td>
    </>
  )
}
