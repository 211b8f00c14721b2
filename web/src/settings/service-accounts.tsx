import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query'
import { useState } from 'react'
import { read } from '../api/client'
import { FormDialog } from '../shell/form-dialog'
import { type ListPage, PagedList } from '../shell/paged-list'
import { useAction } from '../shell/use-action'
import { Button } from '../ui/button'
import { ConfirmButton } from '../ui/confirm-button'
import { CopyId } from '../ui/copy'
import { TextField } from '../ui/field'
import { Table } from '../ui/table'
import { Time } from '../ui/time'
import { type KeyRole, keyRoles, RoleField } from './role-field'
import { Section } from './section'
import type { ServiceAccount } from './settings-queries'

export function ServiceAccounts({ list }: { list: UseInfiniteQueryResult<InfiniteData<ListPage<ServiceAccount>>> }) {
  const [creating, setCreating] = useState(false)
  return (
    <Section
      title="Service accounts"
      about="Machines. Their keys go on when the person who made them leaves."
      actions={
        <Button icon="plus" onClick={() => setCreating(true)}>
          Create a service account
        </Button>
      }
    >
      <PagedList list={list} columns={5} empty={<p className="muted">There are no service accounts yet.</p>}>
        {(accounts) => (
          <Table
            columns={[
              ['Name', 'grow'],
              'Id',
              'Role',
              ['Last used', 'number'],
              ['Created', 'number'],
              ['Actions', 'hidden'],
            ]}
          >
            {accounts.map((account) => (
              <AccountRow key={account.id} account={account} />
            ))}
          </Table>
        )}
      </PagedList>
      {creating && <AccountDialog onClose={() => setCreating(false)} />}
    </Section>
  )
}

function AccountRow({ account }: { account: ServiceAccount }) {
  const remove = useAction({
    run: (api) => read(api.client.DELETE('/api/v1/service-accounts/{id}', { params: { path: { id: account.id } } })),
    done: `${account.name} is deleted, and its keys are revoked`,
    touches: ['settings'],
  })
  return (
    <tr>
      <td className="grow" title={account.name}>
        {account.name}
      </td>
      <td>
        <CopyId id={account.id} />
      </td>
      <td>{account.role}</td>
      <td className="number">{account.lastUsedAt ? <Time at={account.lastUsedAt} /> : 'never'}</td>
      <td className="number">
        <Time at={account.createdAt} />
      </td>
      <td className="actions">
        <ConfirmButton
          title={`Delete the service account ${account.name}?`}
          text="All its keys are revoked at once. This cannot be taken back."
          action="Delete"
          busy={remove.isPending}
          onConfirm={() => remove.mutate()}
        />
      </td>
    </tr>
  )
}

function AccountDialog({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState('')
  const [role, setRole] = useState<KeyRole>('worker')
  const create = useAction({
    run: (api) => read(api.client.POST('/api/v1/service-accounts', { body: { name: name.trim(), role } })),
    done: `Created ${name.trim()}: create a key for it next`,
    touches: ['settings', 'service-accounts'],
    onDone: onClose,
  })
  return (
    <FormDialog
      title="Create a service account"
      action="Create it"
      busy={create.isPending}
      error={create.error}
      disabled={name.trim() === ''}
      onSubmit={() => create.mutate()}
      onClose={onClose}
    >
      <TextField
        label="Name"
        required
        autoFocus
        maxLength={200}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <RoleField roles={keyRoles} value={role} onChange={setRole} />
    </FormDialog>
  )
}
