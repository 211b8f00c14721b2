import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { read } from '../api/client'
import { useApi, useMay } from '../api/use-api'
import { Forbidden } from '../shell/forbidden'
import { PagedList } from '../shell/paged-list'
import { useAction } from '../shell/use-action'
import { Button } from '../ui/button'
import { ConfirmButton } from '../ui/confirm-button'
import { CopyId } from '../ui/copy'
import { SecretOnce } from '../ui/secret-once'
import { Notice } from '../ui/states'
import { Table } from '../ui/table'
import { Time } from '../ui/time'
import { KeyDialog } from './key-dialog'
import { Section } from './section'
import { ServiceAccounts } from './service-accounts'
import { type ApiKey, apiKeysQuery, type ServiceAccount, serviceAccountsQuery } from './settings-queries'

export function Keys() {
  return useMay('owner') ? <KeysOfProject /> : <Forbidden needs="owner" what="API keys" />
}

function KeysOfProject() {
  const api = useApi()
  const keys = useInfiniteQuery(apiKeysQuery(api))
  const accounts = useInfiniteQuery(serviceAccountsQuery(api))
  const [creating, setCreating] = useState(false)
  const [made, setMade] = useState<string>()
  const known = accounts.data?.pages.flatMap(({ items }) => items) ?? []
  const create = (
    <Button look="primary" icon="plus" onClick={() => setCreating(true)}>
      Create a key
    </Button>
  )
  const empty = (
    <Notice icon="lock" title="No API keys yet" actions={create}>
      <p>A script, a pipeline or a worker signs in with a key. It is shown once, when it is created.</p>
    </Notice>
  )
  return (
    <>
      <Section
        title="API keys"
        about="For programs. A key belongs to this project alone and ends with the person who made it, unless it is a service account’s."
        actions={create}
      >
        <PagedList list={keys} columns={6} empty={empty}>
          {(items) => <KeyTable keys={items} accounts={known} />}
        </PagedList>
      </Section>
      <ServiceAccounts list={accounts} />
      {creating && (
        <KeyDialog
          accounts={known}
          onClose={() => setCreating(false)}
          onMade={(key) => {
            setCreating(false)
            setMade(key)
          }}
        />
      )}
      {made && (
        <SecretOnce
          title="Your new API key"
          value={made}
          hint="Send it with every request as “Authorization: Bearer …”."
          onClose={() => setMade(undefined)}
        />
      )}
    </>
  )
}

function KeyTable({ keys, accounts }: { keys: readonly ApiKey[]; accounts: readonly ServiceAccount[] }) {
  return (
    <Table
      columns={[
        ['Name', 'grow'],
        'Begins with',
        'Role',
        'Belongs to',
        ['Last used', 'number'],
        ['Created', 'number'],
        ['Ends', 'number'],
        ['Actions', 'hidden'],
      ]}
    >
      {keys.map((key) => (
        <KeyRow key={key.id} apiKey={key} owner={accounts.find(({ id }) => id === key.serviceAccountId)?.name} />
      ))}
    </Table>
  )
}

function KeyRow({ apiKey, owner }: { apiKey: ApiKey; owner: string | undefined }) {
  const revoke = useAction({
    run: (api) => read(api.client.DELETE('/api/v1/api-keys/{id}', { params: { path: { id: apiKey.id } } })),
    done: `The key ${apiKey.name} is revoked`,
    touches: ['settings', 'api-keys'],
  })
  return (
    <tr>
      <td className="grow" title={apiKey.name}>
        {apiKey.name}
      </td>
      <td>
        <code>{apiKey.prefix}…</code>
      </td>
      <td>{apiKey.role}</td>
      <td>{apiKey.serviceAccountId ? (owner ?? <CopyId id={apiKey.serviceAccountId} />) : 'a person'}</td>
      <td className="number">{apiKey.lastUsedAt ? <Time at={apiKey.lastUsedAt} /> : 'never'}</td>
      <td className="number">
        <Time at={apiKey.createdAt} />
      </td>
      <td className="number">{apiKey.expiresAt ? <Time at={apiKey.expiresAt} /> : 'never'}</td>
      <td className="actions">
        <ConfirmButton
          title={`Revoke the key ${apiKey.name}?`}
          text="Whatever uses it is refused from now on. This cannot be taken back."
          action="Revoke"
          busy={revoke.isPending}
          onConfirm={() => revoke.mutate()}
        />
      </td>
    </tr>
  )
}
