import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useRefetchInterval } from '../api/live'
import { useApi } from '../api/use-api'
import { PageHead } from '../shell/page-head'
import { PagedList } from '../shell/paged-list'
import { useSearchState } from '../shell/use-search-state'
import { Button } from '../ui/button'
import { FilterText } from '../ui/filter-text'
import { Notice } from '../ui/states'
import { SteadyRows } from '../ui/steady-rows'
import { ArtifactDialog } from './artifact-dialog'
import { artifactFiltersOf, artifactsQuery } from './artifact-queries'
import { ArtifactTable } from './artifact-table'
import './artifacts.css'

export function ArtifactsPage() {
  const [search, change] = useSearchState()
  const filters = artifactFiltersOf(search)
  const set = (name: string) => (value: string) => change({ [name]: value || undefined })
  const clear = () => change({ run: undefined, task: undefined, name: undefined })
  const filtered = Object.keys(filters).length > 0
  return (
    <>
      <PageHead title="Artifacts">
        <div className="filters">
          <FilterText
            id="artifacts-search"
            label="Name"
            placeholder="Name  /"
            value={filters.name ?? ''}
            onChange={set('name')}
          />
          <FilterText label="Run" placeholder="Run id" value={filters.run ?? ''} onChange={set('run')} />
          <FilterText label="Task" placeholder="Task" value={filters.task ?? ''} onChange={set('task')} />
          {filtered && (
            <Button look="quiet" onClick={clear}>
              Clear
            </Button>
          )}
        </div>
      </PageHead>
      <div className="page-body">
        <ArtifactList />
      </div>
      {search.artifact && <ArtifactDialog id={search.artifact} onClose={() => change({ artifact: undefined })} />}
    </>
  )
}

function ArtifactList() {
  const api = useApi()
  const [search, change] = useSearchState()
  const refetchInterval = useRefetchInterval()
  const filters = artifactFiltersOf(search)
  const list = useInfiniteQuery({ ...artifactsQuery(api, filters), refetchInterval, placeholderData: (old) => old })
  const empty =
    Object.keys(filters).length > 0 ? (
      <Notice icon="search" title="No artifact fits these filters" />
    ) : (
      <Notice
        icon="artifacts"
        title="No artifacts yet"
        actions={
          <Link className="button button-primary" to="/p/$project/workflows" params={{ project: api.project }}>
            Go to the workflows
          </Link>
        }
      >
        <p>A file that a task leaves, or an output over 64 KiB, is kept here until its run is removed.</p>
      </Notice>
    )
  return (
    <PagedList list={list} columns={6} more="Older artifacts" empty={empty}>
      {(artifacts) => (
        <SteadyRows key={JSON.stringify(filters)} items={artifacts}>
          {(shown) => (
            <ArtifactTable
              artifacts={shown}
              onOpen={(artifact) => change({ artifact })}
              onFilter={(filter) => change({ ...filter })}
            />
          )}
        </SteadyRows>
      )}
    </PagedList>
  )
}
