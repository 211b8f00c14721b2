import { timeSpans } from './time-span'
import './filters.css'

/** Since when: a span before now, or the time that an address names. */
export function FilterSpan({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  return (
    <select
      className="input filter-span"
      aria-label="Since"
      value={value}
      onChange={(event) => onChange(event.target.value)}
    >
      <option value="">Any time</option>
      {timeSpans.map((span) => (
        <option key={span} value={span}>
          Last {span}
        </option>
      ))}
      {value && !timeSpans.includes(value) && <option value={value}>Since {value}</option>}
    </select>
  )
}
