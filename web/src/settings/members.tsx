import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { read } from '../api/client'
import { meQuery, useApi, useMay } from '../api/use-api'
import { PagedList } from '../shell/paged-list'
import { useAction } from '../shell/use-action'
import { Button } from '../ui/button'
import { ConfirmButton } from '../ui/confirm-button'
import { Table } from '../ui/table'
import { Invitations } from './invitations'
import { InviteDialog } from './invite-dialog'
import { type MemberRole, memberRoles } from './role-field'
import { Section } from './section'
import { type Member, membersQuery } from './settings-queries'

/** Owners of the project, and administrators of the platform. */
export function useMayManage(): boolean {
  const owner = useMay('owner')
  const { data } = useQuery(meQuery)
  return owner || data?.user?.admin === true
}

export function Members() {
  const api = useApi()
  const may = useMayManage()
  const list = useInfiniteQuery(membersQuery(api))
  const [inviting, setInviting] = useState(false)
  return (
    <>
      <Section
        title="Members"
        about="Who may do what in this project. Each role may do what the roles before it may."
        actions={
          <Button
            look="primary"
            icon="plus"
            disabled={!may}
            title={may ? undefined : 'You need the role owner'}
            onClick={() => setInviting(true)}
          >
            Invite
          </Button>
        }
      >
        <PagedList list={list} columns={3} empty={<p className="muted">Nobody is a member of this project.</p>}>
          {(members) => <MemberTable members={members} may={may} />}
        </PagedList>
        {!may && <p className="muted">Only an owner can invite people and change roles.</p>}
      </Section>
      {may && <Invitations onInvite={() => setInviting(true)} />}
      {inviting && <InviteDialog onClose={() => setInviting(false)} />}
    </>
  )
}

function MemberTable({ members, may }: { members: readonly Member[]; may: boolean }) {
  return (
    <Table columns={['Name', ['Email', 'grow'], 'Role', ['Actions', 'hidden']]}>
      {members.map((member) => (
        <MemberRow key={member.userId} member={member} may={may} />
      ))}
    </Table>
  )
}

function useMemberActions({ userId, email }: Member) {
  const touches = ['settings', 'members']
  const path = (slug: string) => ({ params: { path: { slug, userId } } })
  const setRole = useAction<MemberRole>({
    run: (api, role) =>
      read(api.client.PUT('/api/v1/projects/{slug}/members/{userId}', { ...path(api.project), body: { role } })),
    done: (_, role) => `${email} is now ${role}`,
    touches,
  })
  const remove = useAction({
    run: (api) => read(api.client.DELETE('/api/v1/projects/{slug}/members/{userId}', path(api.project))),
    done: `${email} is no longer a member`,
    touches,
  })
  return { setRole, remove }
}

function MemberRow({ member, may }: { member: Member; may: boolean }) {
  const { data: me } = useQuery(meQuery)
  const { setRole, remove } = useMemberActions(member)
  // Shown at once; the list says otherwise when the API refuses.
  const role = setRole.isPending ? setRole.variables : member.role
  const self = me?.user?.id === member.userId
  return (
    <tr>
      <td>
        {member.name ?? '–'} {self && <span className="tag">you</span>}
      </td>
      <td className="grow">{member.email}</td>
      <td>
        {may ? (
          <select
            className="input settings-role"
            aria-label={`Role of ${member.email}`}
            value={role}
            disabled={setRole.isPending}
            onChange={(event) => setRole.mutate(event.target.value as MemberRole)}
          >
            {memberRoles.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        ) : (
          role
        )}
      </td>
      <td className="actions">
        {may && (
          <ConfirmButton
            title={`Remove ${member.email}?`}
            text="They lose access at once. Their API keys stop working; keys of service accounts go on."
            action="Remove"
            busy={remove.isPending}
            onConfirm={() => remove.mutate()}
          />
        )}
      </td>
    </tr>
  )
}
