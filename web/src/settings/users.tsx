import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { read } from '../api/client'
import { meQuery, useApi } from '../api/use-api'
import { Forbidden } from '../shell/forbidden'
import { PagedList } from '../shell/paged-list'
import { useAction } from '../shell/use-action'
import { useSearchState } from '../shell/use-search-state'
import { Button } from '../ui/button'
import { FilterText } from '../ui/filter-text'
import { Notice } from '../ui/states'
import { Table } from '../ui/table'
import { Time } from '../ui/time'
import { useConfirm } from '../ui/use-confirm'
import { Section } from './section'
import { type Account, usersQuery } from './settings-queries'

/** Of the whole platform, for its administrators. */
export function Users() {
  const { data } = useQuery(meQuery)
  if (data && !data.user.admin) return <Forbidden needs="admin" what="the users of the platform" />
  return <UsersOfPlatform self={data?.user.id} />
}

function UsersOfPlatform({ self }: { self: string | undefined }) {
  const [search, change] = useSearchState()
  const q = search.q ?? ''
  const list = useInfiniteQuery({ ...usersQuery(useApi(), q), placeholderData: (old) => old })
  return (
    <Section title="Users" about="Everybody with an account on this platform, whatever their projects.">
      <div className="filters">
        <FilterText
          label="Search users"
          placeholder="Email or name"
          value={q}
          onChange={(text) => change({ q: text || undefined })}
        />
      </div>
      <PagedList list={list} columns={5} empty={<Notice icon="search" title="No user fits" />}>
        {(users) => (
          <Table columns={[['Email', 'grow'], 'Name', 'State', ['Joined', 'number'], ['Actions', 'hidden']]}>
            {users.map((user) => (
              <UserRow key={user.id} user={user} self={user.id === self} />
            ))}
          </Table>
        )}
      </PagedList>
    </Section>
  )
}

type Change = { disabled: boolean } | { admin: boolean }

function UserRow({ user, self }: { user: Account; self: boolean }) {
  const [confirm, dialog] = useConfirm()
  const update = useAction<Change>({
    run: (api, body) => read(api.client.PATCH('/api/v1/users/{id}', { params: { path: { id: user.id } }, body })),
    done: `${user.email} is changed`,
    touches: ['settings', 'users'],
  })
  const { admin, disabled } = { ...user, ...(update.isPending ? update.variables : {}) }
  const askDisable = () =>
    confirm({
      title: `Disable ${user.email}?`,
      text: 'Their sessions end at once and their API keys are refused. They can be enabled again.',
      action: 'Disable',
      onConfirm: () => update.mutate({ disabled: true }),
    })
  const askAdmin = () =>
    confirm({
      title: admin ? `Take administration from ${user.email}?` : `Make ${user.email} an administrator?`,
      text: admin
        ? 'They keep their projects and lose everything else.'
        : 'They may manage every user and every project of the platform.',
      action: admin ? 'Take it' : 'Make administrator',
      onConfirm: () => update.mutate({ admin: !admin }),
    })
  return (
    <tr>
      <td className="grow">
        {user.email} {self && <span className="tag">you</span>}
      </td>
      <td>{user.name ?? '–'}</td>
      <td>
        {disabled && <span className="tag">disabled</span>} {admin && <span className="tag">administrator</span>}
        {!user.emailVerified && <span className="tag">not confirmed</span>}
      </td>
      <td className="number">
        <Time at={user.createdAt} />
      </td>
      <td className="actions">
        <Button small disabled={self || update.isPending} onClick={askAdmin}>
          {admin ? 'Not administrator' : 'Administrator'}
        </Button>
        <Button
          small
          look={disabled ? 'plain' : 'danger'}
          disabled={self || update.isPending}
          onClick={() => (disabled ? update.mutate({ disabled: false }) : askDisable())}
        >
          {disabled ? 'Enable' : 'Disable'}
        </Button>
        {dialog}
      </td>
    </tr>
  )
}
