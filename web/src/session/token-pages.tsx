import { useMutation, useQuery } from '@tanstack/react-query'
import { Link, useParams, useSearch } from '@tanstack/react-router'
import { apiFor } from '../api/client'
import { errorOf, messageOf } from '../api/problem'
import { queryClient } from '../api/query-client'
import { accessToken } from '../api/session'
import { Button } from '../ui/button'
import { Gate } from './gate'

async function post(path: string, body?: unknown): Promise<unknown> {
  const response = await apiFor('').fetch(path, {
    method: 'POST',
    ...(body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  })
  if (!response.ok) throw await errorOf(response)
  return response.status === 204 ? undefined : response.json()
}

export function VerifyPage() {
  const { token = '' } = useSearch({ from: '/verify' })
  const verify = useMutation({ mutationFn: () => post('/api/v1/auth/verify', { token }) })
  return (
    <Gate title="Confirm your address">
      {verify.isSuccess ? (
        <p>
          Your address is confirmed. <Link to="/">Go on</Link>
        </p>
      ) : (
        <>
          {verify.isError && (
            <p className="field-error" role="alert">
              {messageOf(verify.error)}
            </p>
          )}
          <Button look="primary" busy={verify.isPending} onClick={() => verify.mutate()}>
            Confirm
          </Button>
        </>
      )}
    </Gate>
  )
}

/** A link alone must not join anyone to anything: accepting is a decision, made by whoever is signed in. */
export function InvitationPage() {
  const { token } = useParams({ from: '/invitations/$token' })
  const signedIn = useQuery({
    queryKey: ['signed-in'],
    queryFn: async () => (await accessToken()) !== undefined,
    gcTime: 0,
  })
  const accept = useMutation({
    mutationFn: () => post(`/api/v1/invitations/${encodeURIComponent(token)}/accept`),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['me'] }),
  })
  const here = { to: `/invitations/${token}` }
  if (accept.isSuccess) {
    return (
      <Gate title="You are a member now">
        <Link className="button button-primary" to="/">
          Open the console
        </Link>
      </Gate>
    )
  }
  return (
    <Gate title="You are invited to a project">
      {signedIn.data === false ? (
        <>
          <p className="muted">Sign in with the address the invitation was sent to, or create an account with it.</p>
          <Link className="button button-primary" to="/sign-in" search={here}>
            Sign in
          </Link>
          <Link className="button" to="/register" search={here}>
            Create an account
          </Link>
        </>
      ) : (
        <>
          {accept.isError && (
            <p className="field-error" role="alert">
              {messageOf(accept.error)}
            </p>
          )}
          <Button look="primary" busy={accept.isPending || signedIn.isPending} onClick={() => accept.mutate()}>
            Accept the invitation
          </Button>
        </>
      )}
    </Gate>
  )
}

export function NoProjectPage() {
  return (
    <Gate title="You are in no project">
      <p className="muted">Ask an owner of a project to invite you.</p>
      <a className="button" href="/">
        Look again
      </a>
    </Gate>
  )
}
