import { SelectField } from '../ui/field'

const words: Readonly<Record<string, string>> = {
  viewer: 'sees everything',
  operator: 'also runs, cancels, retries and approves',
  editor: 'also changes workflows, schedules, secrets',
  owner: 'also members, keys and the audit log',
  worker: 'only takes tasks and reports their results',
}

interface RoleFieldProps<R extends string> {
  roles: readonly R[]
  value: R
  onChange: (role: R) => void
}

export function RoleField<R extends string>({ roles, value, onChange }: RoleFieldProps<R>) {
  return (
    <SelectField label="Role" value={value} onChange={(event) => onChange(event.target.value as R)}>
      {roles.map((role) => (
        <option key={role} value={role}>
          {role}: {words[role]}
        </option>
      ))}
    </SelectField>
  )
}

export const memberRoles = ['viewer', 'operator', 'editor', 'owner'] as const
export const keyRoles = [...memberRoles, 'worker'] as const
export type MemberRole = (typeof memberRoles)[number]
export type KeyRole = (typeof keyRoles)[number]
