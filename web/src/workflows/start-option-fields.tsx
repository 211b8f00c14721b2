import { SelectField, TextField } from '../ui/field'
import type { StartOptions } from './start-options'

interface StartOptionFieldsProps {
  options: StartOptions
  onChange: (options: StartOptions) => void
  latest: number
}

export function StartOptionFields({ options, onChange, latest }: StartOptionFieldsProps) {
  const set = (name: keyof StartOptions) => (event: { target: { value: string } }) =>
    onChange({ ...options, [name]: event.target.value })
  return (
    <details>
      <summary>Version, priority, labels, delay</summary>
      <div className="start-group">
        <div className="start-pair">
          <SelectField label="Version" value={options.version} onChange={set('version')}>
            <option value="">{`Latest, ${latest}`}</option>
            {Array.from({ length: Math.min(50, latest) }, (_, index) => latest - index).map((version) => (
              <option key={version} value={version}>
                {version}
              </option>
            ))}
          </SelectField>
          <SelectField label="Priority" value={options.priority} onChange={set('priority')}>
            <option value="">5, the default</option>
            {[9, 8, 7, 6, 5, 4, 3, 2, 1, 0].map((priority) => (
              <option key={priority} value={priority}>
                {priority}
              </option>
            ))}
          </SelectField>
          <TextField
            label="Delay in seconds"
            type="number"
            min={0}
            value={options.delaySeconds}
            onChange={set('delaySeconds')}
          />
        </div>
        <TextField label="Labels" placeholder="team=shop, region=eu" value={options.labels} onChange={set('labels')} />
        <label className="start-check">
          <input
            type="checkbox"
            checked={options.hold}
            onChange={(event) => onChange({ ...options, hold: event.target.checked })}
          />
          Submit on hold: it starts when it is resumed
        </label>
      </div>
    </details>
  )
}
