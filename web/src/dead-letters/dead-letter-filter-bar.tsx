import { useSearchState } from '../shell/use-search-state'
import { FilterSpan } from '../ui/filter-span'
import { FilterText } from '../ui/filter-text'
import { Tabs } from '../ui/tabs'
import { classes, type DeadLetterFilters, states } from './dead-letter-queries'

const labels = { open: 'Open', retried: 'Retried', deleted: 'Deleted' }

export function DeadLetterFilterBar({ filters }: { filters: DeadLetterFilters }) {
  const [, change] = useSearchState()
  return (
    <div className="dead-letter-filters">
      <Tabs
        label="State"
        items={states.map((id) => ({ id, label: labels[id] }))}
        selected={filters.state}
        onSelect={(state) => change({ state: state === 'open' ? undefined : state, group: undefined })}
      />
      <FilterText
        id="dead-letters-search"
        label="Workflow"
        placeholder="Workflow  /"
        value={filters.workflow ?? ''}
        onChange={(workflow) => change({ workflow: workflow || undefined, group: undefined })}
      />
      <select
        className="input dead-letter-class"
        aria-label="Class of the error"
        value={filters.class ?? ''}
        onChange={(event) => change({ class: event.target.value || undefined, group: undefined })}
      >
        <option value="">Any error</option>
        {classes.map((each) => (
          <option key={each} value={each}>
            {each.replaceAll('_', ' ')}
          </option>
        ))}
      </select>
      <FilterSpan
        value={filters.from ?? ''}
        onChange={(from) => change({ from: from || undefined, to: undefined, group: undefined })}
      />
    </div>
  )
}
