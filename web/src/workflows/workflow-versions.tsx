import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense } from 'react'
import type { Workflow } from '../api/types'
import { useApi } from '../api/use-api'
import { useSearchState } from '../shell/use-search-state'
import { Time } from '../ui/time'
import { versionsQuery, workflowQuery } from './workflow-queries'

const VersionDiff = lazy(() => import('./version-diff').then((module) => ({ default: module.VersionDiff })))

export function WorkflowVersions({ workflow }: { workflow: Workflow }) {
  const api = useApi()
  const [search, change] = useSearchState()
  const versions = useQuery(versionsQuery(api, workflow.name))
  const latest = workflow.version
  const to = Number(search.to ?? latest)
  const from = Number(search.from ?? Math.max(1, to - 1))
  const before = useQuery(workflowQuery(api, workflow.name, from))
  const after = useQuery(workflowQuery(api, workflow.name, to))
  return (
    <div className="versions">
      <ol className="versions-list" aria-label="Versions">
        {(versions.data?.items ?? []).map(({ version, createdAt, createdBy }) => (
          <li key={version}>
            <button
              type="button"
              className="version"
              aria-current={version === to}
              onClick={() => change({ to: String(version), from: String(Math.max(1, version - 1)) })}
            >
              <strong>Version {version}</strong>
              <span className="muted" title={createdBy}>
                <Time at={createdAt} />
              </span>
            </button>
          </li>
        ))}
      </ol>
      <div className="versions-diff">
        <div className="versions-head">
          <label>
            From{' '}
            <select className="input" value={from} onChange={(event) => change({ from: event.target.value })}>
              {(versions.data?.items ?? []).map(({ version }) => (
                <option key={version} value={version}>
                  {version}
                </option>
              ))}
            </select>
          </label>
          <span>to version {to}</span>
        </div>
        <Suspense fallback={<div aria-busy="true" />}>
          {before.data && after.data && <VersionDiff before={before.data.definition} after={after.data.definition} />}
        </Suspense>
      </div>
    </div>
  )
}
