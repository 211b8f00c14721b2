import type { Role } from '../api/types'
import { useRole } from '../api/use-api'
import { Notice } from '../ui/states'

/** In place of what the caller's role may not see: which role may, and who gives it. */
export function Forbidden({ needs, what }: { needs: Role | 'admin'; what: string }) {
  const role = useRole()
  return (
    <Notice icon="lock" title={`You may not see ${what}`}>
      {needs === 'admin' ? (
        <p>This is for administrators of the platform.</p>
      ) : (
        <p>
          It needs the role <strong>{needs}</strong>
          {role ? `; yours in this project is ${role}` : ''}. An owner of the project can change it.
        </p>
      )}
    </Notice>
  )
}
