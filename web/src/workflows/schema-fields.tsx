import { useEffect, useState } from 'react'
import { AreaField, SelectField, TextField } from '../ui/field'
import { parseJson } from '../ui/parse-json'
import { type FormField, readText, valueAt, withValue } from './schema-form'

interface SchemaFieldsProps {
  fields: readonly FormField[]
  /** The whole input. */
  value: unknown
  onChange: (value: Record<string, unknown>) => void
  faultAt: (path: readonly string[]) => string | undefined
}

export function SchemaFields({ fields, value, onChange, faultAt }: SchemaFieldsProps) {
  return fields.map((field) =>
    field.kind === 'group' ? (
      <fieldset key={field.label} className="start-group">
        <legend>{field.label}</legend>
        <SchemaFields fields={field.fields ?? []} value={value} onChange={onChange} faultAt={faultAt} />
      </fieldset>
    ) : (
      <Control
        key={field.path.join('.')}
        field={field}
        value={valueAt(value, field.path)}
        fault={faultAt(field.path)}
        onChange={(next) => onChange(withValue(value, field.path, next))}
      />
    ),
  )
}

interface ControlProps {
  field: FormField
  value: unknown
  fault: string | undefined
  onChange: (value: unknown) => void
}

function Control({ field, value, fault, onChange }: ControlProps) {
  const { kind, required, hint, choices } = field
  const shared = { label: required ? `${field.label} *` : field.label, hint, error: fault }
  if (kind === 'boolean') {
    return (
      <label className="start-check">
        <input type="checkbox" checked={value === true} onChange={(event) => onChange(event.target.checked)} />
        <span>
          {shared.label} <span className="muted">{hint}</span>
        </span>
      </label>
    )
  }
  if (kind === 'choice') {
    const at = choices?.findIndex((each) => JSON.stringify(each) === JSON.stringify(value)) ?? -1
    return (
      <SelectField
        {...shared}
        value={at < 0 ? '' : at}
        onChange={(event) => onChange(event.target.value === '' ? undefined : choices?.[Number(event.target.value)])}
      >
        <option value="">–</option>
        {choices?.map((choice, index) => (
          <option key={JSON.stringify(choice)} value={index}>
            {String(choice)}
          </option>
        ))}
      </SelectField>
    )
  }
  if (kind === 'json') return <JsonControl field={field} value={value} fault={fault} onChange={onChange} />
  if (kind === 'long-text')
    return (
      <AreaField
        {...shared}
        rows={4}
        value={textOf(value)}
        onChange={(event) => onChange(readText(kind, event.target.value))}
      />
    )
  const type = kind === 'text' ? 'text' : kind === 'date-time' ? 'text' : 'number'
  return (
    <TextField
      {...shared}
      type={type}
      step={kind === 'integer' ? 1 : 'any'}
      placeholder={kind === 'date-time' ? '2026-01-31T09:00:00Z' : undefined}
      value={textOf(value)}
      onChange={(event) =>
        onChange(kind === 'date-time' ? event.target.value || undefined : readText(kind, event.target.value))
      }
    />
  )
}

const textOf = (value: unknown): string => (value === undefined || value === null ? '' : String(value))

/** Half-typed JSON is kept as text until it is whole. */
function JsonControl({ field, value, fault, onChange }: ControlProps) {
  const [text, setText] = useState(value === undefined ? '' : JSON.stringify(value))
  useEffect(() => {
    setText((old) =>
      JSON.stringify(parseJson(old).value ?? undefined) === JSON.stringify(value)
        ? old
        : value === undefined
          ? ''
          : JSON.stringify(value),
    )
  }, [value])
  const parsed = parseJson(text)
  return (
    <AreaField
      label={field.required ? `${field.label} *` : field.label}
      hint={field.hint || 'JSON'}
      rows={3}
      value={text}
      error={fault ?? parsed.fault}
      onChange={(event) => {
        setText(event.target.value)
        const next = parseJson(event.target.value)
        if (next.fault === undefined) onChange(event.target.value.trim() === '' ? undefined : next.value)
      }}
    />
  )
}
