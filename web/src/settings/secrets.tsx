import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { read } from '../api/client'
import { useApi, useMay } from '../api/use-api'
import { Forbidden } from '../shell/forbidden'
import { PagedList } from '../shell/paged-list'
import { useAction } from '../shell/use-action'
import { Button } from '../ui/button'
import { ConfirmButton } from '../ui/confirm-button'
import { copyText } from '../ui/copy'
import { Notice } from '../ui/states'
import { Table } from '../ui/table'
import { Time } from '../ui/time'
import { SecretDialog } from './secret-dialog'
import { Section } from './section'
import { type Secret, secretsQuery } from './settings-queries'

const expressionOf = (name: string): string => `\${{ secrets.${name} }}`

export function Secrets() {
  return useMay('editor') ? <SecretsOfProject /> : <Forbidden needs="editor" what="secrets" />
}

function SecretsOfProject() {
  const list = useInfiniteQuery(secretsQuery(useApi()))
  /** The name whose value is set; empty for a new one. */
  const [setting, setSetting] = useState<string>()
  const add = (
    <Button look="primary" icon="plus" onClick={() => setSetting('')}>
      Add a secret
    </Button>
  )
  return (
    <Section
      title="Secrets"
      about="Values for tasks that must not stand in a definition. They go in and never come out: only names are shown."
      actions={add}
    >
      <PagedList
        list={list}
        columns={4}
        empty={
          <Notice icon="lock" title="No secrets yet" actions={add}>
            <p>
              A task reads one as <code>{expressionOf('name')}</code> inside its <code>with</code>.
            </p>
          </Notice>
        }
      >
        {(secrets) => (
          <Table columns={[['Name', 'grow'], 'Set by', ['Set', 'number'], ['Actions', 'hidden']]}>
            {secrets.map((secret) => (
              <SecretRow key={secret.name} secret={secret} onSet={() => setSetting(secret.name)} />
            ))}
          </Table>
        )}
      </PagedList>
      {setting !== undefined && <SecretDialog name={setting} onClose={() => setSetting(undefined)} />}
    </Section>
  )
}

function SecretRow({ secret, onSet }: { secret: Secret; onSet: () => void }) {
  const { name } = secret
  const remove = useAction({
    run: (api) => read(api.client.DELETE('/api/v1/secrets/{name}', { params: { path: { name } } })),
    done: `The secret ${name} is deleted`,
    touches: ['settings', 'secrets'],
  })
  return (
    <tr>
      <td className="grow">
        <code>{name}</code>
      </td>
      <td>{secret.updatedBy}</td>
      <td className="number">
        <Time at={secret.updatedAt} />
      </td>
      <td className="actions">
        <Button
          small
          look="quiet"
          icon="copy"
          onClick={() => void copyText(expressionOf(name), 'The expression is copied')}
        >
          Copy expression
        </Button>
        <Button small onClick={onSet}>
          Set the value
        </Button>
        <ConfirmButton
          title={`Delete the secret ${name}?`}
          text="Tasks that read it fail from now on. Its value cannot be brought back."
          action="Delete"
          busy={remove.isPending}
          onConfirm={() => remove.mutate()}
        />
      </td>
    </tr>
  )
}
