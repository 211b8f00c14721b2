import { useQuery } from '@tanstack/react-query'
import { apiFor } from '../api/client'
import { safeTarget } from './after-sign-in'
import './session.css'

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

interface OidcProvidersProps {
  /** The page to come back to. */
  to: string | undefined
  /** In a tab of its own, so that what was typed on this page stays. */
  newTab?: boolean
}

export function OidcProviders({ to, newTab }: OidcProvidersProps) {
  const providers = useQuery({
    queryKey: ['oidc-providers'],
    queryFn: readProviders,
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (!providers.data?.length) return null
  return (
    <div className="gate-providers">
      {providers.data.map(({ id, name }) => (
        <a
          key={id}
          className="button"
          href={`/api/v1/auth/oidc/start?${new URLSearchParams({ provider: id, to: safeTarget(to) })}`}
          {...(newTab ? { target: '_blank', rel: 'noopener' } : {})}
        >
          Continue with {name}
          {newTab && ' in a new tab'}
        </a>
      ))}
    </div>
  )
}
