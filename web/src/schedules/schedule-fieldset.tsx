import { useQuery } from '@tanstack/react-query'
import { useId } from 'react'
import { useApi } from '../api/use-api'
import { AreaField, SelectField, TextField } from '../ui/field'
import { workflowsQuery } from '../workflows/workflow-queries'
import { catchupWords, type FieldName, type ScheduleFields } from './schedule-form'
import { TimingFields } from './timing-fields'

export interface ScheduleFieldsetProps {
  fields: ScheduleFields
  faults: Partial<Record<FieldName, string>>
  onChange: (change: Partial<ScheduleFields>) => void
}

const catchups = Object.entries(catchupWords)

export function ScheduleFieldset({ fields, faults, onChange }: ScheduleFieldsetProps) {
  const api = useApi()
  const names = useId()
  const workflows = useQuery(workflowsQuery(api, ''))
  return (
    <>
      <TextField
        label="Workflow"
        list={names}
        value={fields.workflow}
        error={faults.workflow}
        onChange={(event) => onChange({ workflow: event.target.value })}
      />
      <datalist id={names}>
        {workflows.data?.items.map(({ name }) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <TextField
        label="Name"
        maxLength={100}
        hint="For people; may be left out."
        value={fields.name}
        error={faults.name}
        onChange={(event) => onChange({ name: event.target.value })}
      />
      <TimingFields fields={fields} faults={faults} onChange={onChange} />
      <SelectField
        label="After downtime"
        value={fields.catchup}
        error={faults.catchup}
        onChange={(event) => onChange({ catchup: event.target.value as ScheduleFields['catchup'] })}
      >
        {catchups.map(([id, words]) => (
          <option key={id} value={id}>
            {words}
          </option>
        ))}
      </SelectField>
      <AreaField
        label="Input of every run"
        rows={6}
        spellCheck={false}
        value={fields.input}
        error={faults.input}
        onChange={(event) => onChange({ input: event.target.value })}
      />
      <label className="schedule-check">
        <input
          type="checkbox"
          checked={fields.paused}
          onChange={(event) => onChange({ paused: event.target.checked })}
        />
        Paused: it starts no runs until it is resumed
      </label>
    </>
  )
}
