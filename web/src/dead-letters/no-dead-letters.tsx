import { Link } from '@tanstack/react-router'
import { useApi } from '../api/use-api'
import { useSearchState } from '../shell/use-search-state'
import { Button } from '../ui/button'
import { Notice } from '../ui/states'
import type { DeadLetterFilters } from './dead-letter-queries'

const noFilters = { workflow: undefined, class: undefined, from: undefined, to: undefined, group: undefined }

export function NoDeadLetters({ filters }: { filters: DeadLetterFilters }) {
  const { project } = useApi()
  const [, change] = useSearchState()
  if (filters.workflow || filters.class || filters.from || filters.to) {
    return (
      <Notice
        icon="search"
        title="No dead letters match"
        actions={<Button onClick={() => change(noFilters)}>Clear the filters</Button>}
      />
    )
  }
  if (filters.state !== 'open') return <Notice icon="dead-letters" title={`None was ${filters.state}`} />
  return (
    <Notice
      icon="dead-letters"
      title="No dead letters"
      actions={
        <Link className="button" to="/p/$project/runs" params={{ project }} search={{ status: 'failed' }}>
          Failed runs
        </Link>
      }
    >
      <p>
        A task that failed its last attempt is kept here with its input and its attempts, to be mended and retried.
        There is nothing to mend now.
      </p>
    </Notice>
  )
}
