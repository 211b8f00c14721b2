import { useInfiniteQuery } from '@tanstack/react-query'
import { read } from '../api/client'
import { useApi } from '../api/use-api'
import { PagedList } from '../shell/paged-list'
import { useAction } from '../shell/use-action'
import { ConfirmButton } from '../ui/confirm-button'
import { Table } from '../ui/table'
import { Time } from '../ui/time'
import { Section } from './section'
import { type Session, sessionsQuery } from './settings-queries'
import { agentInWords } from './user-agent'

export function Sessions() {
  const list = useInfiniteQuery(sessionsQuery(useApi()))
  return (
    <Section title="Sessions" about="Where you are signed in. End what you do not know, then change your password.">
      <PagedList list={list} columns={5} empty={<p className="muted">There are no sessions.</p>}>
        {(sessions) => (
          <Table
            columns={[
              ['With', 'grow'],
              'Address',
              ['Last used', 'number'],
              ['Signed in', 'number'],
              ['Ends', 'number'],
              ['Actions', 'hidden'],
            ]}
          >
            {sessions.map((session) => (
              <SessionRow key={session.id} session={session} />
            ))}
          </Table>
        )}
      </PagedList>
    </Section>
  )
}

function SessionRow({ session }: { session: Session }) {
  const agent = agentInWords(session.userAgent)
  const end = useAction({
    run: (api) => read(api.client.DELETE('/api/v1/auth/sessions/{id}', { params: { path: { id: session.id } } })),
    done: 'The session is ended',
    touches: ['settings', 'sessions'],
  })
  return (
    <tr>
      <td className="grow" title={session.userAgent}>
        {agent} {session.current && <span className="tag">this one</span>}
      </td>
      <td className="mono">{session.ip}</td>
      <td className="number">
        <Time at={session.lastUsedAt} />
      </td>
      <td className="number">
        <Time at={session.createdAt} />
      </td>
      <td className="number">
        <Time at={session.expiresAt} />
      </td>
      <td className="actions">
        {!session.current && (
          <ConfirmButton
            title="End this session?"
            text={`${agent} at ${session.ip} must sign in again.`}
            action="End it"
            busy={end.isPending}
            onConfirm={() => end.mutate()}
          />
        )}
      </td>
    </tr>
  )
}
