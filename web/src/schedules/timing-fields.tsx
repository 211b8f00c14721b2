import { useId } from 'react'
import { SelectField, TextField } from '../ui/field'
import { cronInWords } from './cron-in-words'
import { viewerZone } from './next-ticks'
import type { ScheduleFieldsetProps } from './schedule-fieldset'
import type { ScheduleFields } from './schedule-form'
import { everyInWords } from './timing-in-words'

const examples: Record<ScheduleFields['kind'], readonly string[]> = {
  cron: ['@hourly', '@daily', '30 2 * * *', '0 9 * * 1-5', '0 0 1 * *'],
  every: ['30s', '15m', '1h', '1d'],
}

const zones = Intl.supportedValuesOf('timeZone')

export function TimingFields({ fields, faults, onChange }: ScheduleFieldsetProps) {
  const { kind, timing, timezone } = fields
  const list = useId()
  const words = kind === 'cron' ? cronInWords(timing) : everyInWords(timing)
  const form = kind === 'cron' ? 'Five fields, six with seconds first, or @daily' : 'An interval such as 15m'
  return (
    <>
      <SelectField
        label="When"
        value={kind}
        onChange={(event) => onChange({ kind: event.target.value as ScheduleFields['kind'], timing: '' })}
      >
        <option value="cron">At times of the clock (cron)</option>
        <option value="every">At equal intervals</option>
      </SelectField>
      <TextField
        label={kind === 'cron' ? 'Cron expression' : 'Interval'}
        className="input mono"
        spellCheck={false}
        autoComplete="off"
        value={timing}
        error={faults.timing}
        hint={<span aria-live="polite">{words ?? form}</span>}
        onChange={(event) => onChange({ timing: event.target.value })}
      />
      <ul className="schedule-examples" aria-label="Examples">
        {examples[kind].map((example) => (
          <li key={example}>
            <button
              type="button"
              className="schedule-example"
              title={kind === 'cron' ? cronInWords(example) : everyInWords(example)}
              onClick={() => onChange({ timing: example })}
            >
              {example}
            </button>
          </li>
        ))}
      </ul>
      {kind === 'cron' && (
        <>
          <TextField
            label="Time zone"
            list={list}
            value={timezone}
            error={faults.timezone}
            hint={timezone === viewerZone ? 'Yours' : `Yours is ${viewerZone}`}
            onChange={(event) => onChange({ timezone: event.target.value })}
          />
          <datalist id={list}>
            {['UTC', ...zones].map((zone) => (
              <option key={zone} value={zone} />
            ))}
          </datalist>
        </>
      )}
    </>
  )
}
