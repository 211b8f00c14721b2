import { useInfiniteQuery } from '@tanstack/react-query'
import { read } from '../api/client'
import { useApi } from '../api/use-api'
import { PagedList } from '../shell/paged-list'
import { useAction } from '../shell/use-action'
import { Button } from '../ui/button'
import { ConfirmButton } from '../ui/confirm-button'
import { Table } from '../ui/table'
import { Time } from '../ui/time'
import { Section } from './section'
import { type Invitation, invitationsQuery } from './settings-queries'

export function Invitations({ onInvite }: { onInvite: () => void }) {
  const list = useInfiniteQuery(invitationsQuery(useApi()))
  const empty = (
    <p className="muted">
      No invitation is open.{' '}
      <Button small look="quiet" onClick={onInvite}>
        Invite somebody
      </Button>
    </p>
  )
  return (
    <Section title="Open invitations">
      <PagedList list={list} columns={4} empty={empty}>
        {(invitations) => (
          <Table columns={[['Email', 'grow'], 'Role', ['Sent', 'number'], ['Ends', 'number'], ['Actions', 'hidden']]}>
            {invitations.map((invitation) => (
              <InvitationRow key={invitation.id} invitation={invitation} />
            ))}
          </Table>
        )}
      </PagedList>
    </Section>
  )
}

function InvitationRow({ invitation }: { invitation: Invitation }) {
  const revoke = useAction({
    run: (api) =>
      read(
        api.client.DELETE('/api/v1/projects/{slug}/invitations/{id}', {
          params: { path: { slug: api.project, id: invitation.id } },
        }),
      ),
    done: 'The invitation is revoked',
    touches: ['settings', 'invitations'],
  })
  return (
    <tr>
      <td className="grow">{invitation.email}</td>
      <td>{invitation.role}</td>
      <td className="number">
        <Time at={invitation.createdAt} />
      </td>
      <td className="number">
        <Time at={invitation.expiresAt} />
      </td>
      <td className="actions">
        <ConfirmButton
          title={`Revoke the invitation of ${invitation.email}?`}
          text="The link that was sent stops working."
          action="Revoke"
          busy={revoke.isPending}
          onConfirm={() => revoke.mutate()}
        />
      </td>
    </tr>
  )
}
