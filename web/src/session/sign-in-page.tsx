import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { queryClient } from '../api/query-client'
import { safeTarget } from './after-sign-in'
import { Gate } from './gate'
import { OidcProviders } from './oidc-providers'
import { SignInForm } from './sign-in-form'

export function SignInPage() {
  const { to } = useSearch({ from: '/sign-in' })
  const navigate = useNavigate()
  const done = () => {
    queryClient.clear()
    void navigate({ href: safeTarget(to) })
  }
  return (
    <Gate title="Sign in">
      <SignInForm onDone={done} />
      <OidcProviders to={to} />
      <div className="gate-links">
        <Link to="/register" search={to ? { to } : {}}>
          Create an account
        </Link>
        <Link to="/forgot">Forgot the password?</Link>
      </div>
    </Gate>
  )
}
