import { StatusIcon } from './status'
import './filters.css'

interface FilterChipsProps {
  label: string
  statuses: readonly string[]
  chosen: readonly string[]
  onToggle: (status: string) => void
}

export function FilterChips({ label, statuses, chosen, onToggle }: FilterChipsProps) {
  return (
    <fieldset className="filter-chips" aria-label={label}>
      {statuses.map((status) => (
        <button
          key={status}
          type="button"
          className="chip"
          aria-pressed={chosen.includes(status)}
          onClick={() => onToggle(status)}
        >
          <StatusIcon status={status} size={12} />
          {status}
        </button>
      ))}
    </fieldset>
  )
}
