import { type RunStatus, runStatuses } from '../api/types'
import { Button } from '../ui/button'
import { FilterChips } from '../ui/filter-chips'
import { FilterSpan } from '../ui/filter-span'
import { FilterText } from '../ui/filter-text'
import { type RunFilters, statusesOf, toggleStatus } from './run-filters'
import { SavedViews } from './saved-views'

interface RunsFiltersProps {
  filters: RunFilters
  onChange: (filters: RunFilters) => void
}

export function RunsFilters({ filters, onChange }: RunsFiltersProps) {
  const set = (name: keyof RunFilters) => (value: string) => {
    const { [name]: _, ...rest } = filters
    onChange(value === '' ? rest : { ...rest, [name]: value })
  }
  return (
    <div className="runs-filters">
      <FilterChips
        label="Status"
        statuses={runStatuses}
        chosen={statusesOf(filters)}
        onToggle={(status) => onChange(toggleStatus(filters, status as RunStatus))}
      />
      <div className="filters">
        <FilterText
          id="runs-search"
          label="Search"
          placeholder="Search  /"
          value={filters.q ?? ''}
          onChange={set('q')}
        />
        <FilterText label="Workflow" placeholder="Workflow" value={filters.workflow ?? ''} onChange={set('workflow')} />
        <FilterText label="Label" placeholder="label=value" value={filters.label ?? ''} onChange={set('label')} />
        <FilterSpan value={filters.from ?? ''} onChange={set('from')} />
        <SavedViews filters={filters} onChange={onChange} />
        {Object.keys(filters).length > 0 && (
          <Button look="quiet" onClick={() => onChange({})}>
            Clear
          </Button>
        )}
      </div>
    </div>
  )
}
