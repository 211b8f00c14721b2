import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { apiFor } from '../api/client'
import { queryClient } from '../api/query-client'
import { safeTarget } from './after-sign-in'
import { Gate } from './gate'
import { SignInForm } from './sign-in-form'

interface Provider {
  id: string
  name: string
}

/** A server without OpenID Connect answers 404: then there is no button. */
async function readProviders(): Promise<Provider[]> {
  const response = await apiFor('').fetch('/api/v1/auth/oidc/providers')
  if (!response.ok) return []
  const { items } = (await response.json()) as { items?: Partial<Provider>[] }
  return (items ?? []).flatMap(({ id, name }) => (id === undefined ? [] : [{ id, name: name ?? id }]))
}

export function SignInPage() {
  const { to } = useSearch({ from: '/sign-in' })
  const navigate = useNavigate()
  const providers = useQuery({
    queryKey: ['oidc-providers'],
    queryFn: readProviders,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const done = () => {
    queryClient.clear()
    void navigate({ href: safeTarget(to) })
  }
  return (
    <Gate title="Sign in">
      <SignInForm onDone={done} />
      {(providers.data?.length ?? 0) > 0 && (
        <div className="gate-providers">
          {providers.data?.map(({ id, name }) => (
            <a key={id} className="button" href={`/api/v1/auth/oidc/start?provider=${encodeURIComponent(id)}`}>
              Continue with {name}
            </a>
          ))}
        </div>
      )}
      <div className="gate-links">
        <Link to="/register" search={to ? { to } : {}}>
          Create an account
        </Link>
        <Link to="/forgot">Forgot the password?</Link>
      </div>
    </Gate>
  )
}
