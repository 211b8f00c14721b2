import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { read } from '../api/client'
import type { Body, Item } from '../api/types'
import { useApi, useMay } from '../api/use-api'
import { PagedList } from '../shell/paged-list'
import { useAction } from '../shell/use-action'
import { Button } from '../ui/button'
import { ConfirmButton } from '../ui/confirm-button'
import { CopyId } from '../ui/copy'
import { SecretOnce } from '../ui/secret-once'
import { Notice } from '../ui/states'
import { Table } from '../ui/table'
import { Time } from '../ui/time'
import { HookDialog } from './hook-dialog'
import { hooksQuery } from './workflow-queries'

type Hook = Item<Body<'listHooks'>>

export function WorkflowHooks({ name }: { name: string }) {
  const hooks = useInfiniteQuery(hooksQuery(useApi(), name))
  const may = useMay('editor')
  const [making, setMaking] = useState(false)
  const [url, setUrl] = useState<string>()
  const add = may ? (
    <Button icon="plus" onClick={() => setMaking(true)}>
      New hook
    </Button>
  ) : (
    <span className="muted">You need the role editor to create hooks.</span>
  )
  return (
    <div className="workflow-pad">
      <PagedList
        list={hooks}
        columns={5}
        empty={
          <Notice icon="notifications" title="No hook starts this workflow" actions={add}>
            <p>A hook is an address: whoever posts to it starts a run, with what was posted as its input.</p>
          </Notice>
        }
      >
        {(items) => (
          <>
            <Table columns={['Hook', 'Signed', ['Input', 'grow'], ['Created', 'number'], ['Actions', 'hidden']]}>
              {items.map((hook) => (
                <HookRow key={hook.id} workflow={name} hook={hook} />
              ))}
            </Table>
            <p className="workflow-more">{add}</p>
          </>
        )}
      </PagedList>
      {making && (
        <HookDialog
          workflow={name}
          onClose={() => setMaking(false)}
          onMade={(made) => {
            setMaking(false)
            setUrl(made)
          }}
        />
      )}
      {url && (
        <SecretOnce
          title="Address of the hook"
          value={url}
          hint="A POST to this address starts a run. Whoever knows it can do so: keep it as you would keep a password."
          onClose={() => setUrl(undefined)}
        />
      )}
    </div>
  )
}

function HookRow({ workflow, hook }: { workflow: string; hook: Hook }) {
  const may = useMay('editor')
  const revoke = useAction({
    run: (api) =>
      read(
        api.client.DELETE('/api/v1/workflows/{name}/hooks/{id}', { params: { path: { name: workflow, id: hook.id } } }),
      ),
    done: 'The hook is revoked',
    touches: ['workflow', workflow, 'hooks'],
  })
  const { verify, input } = hook
  return (
    <tr>
      <td>
        <CopyId id={hook.id} />
      </td>
      <td>{verify ? `${verify.type}${verify.header ? `, ${verify.header}` : ''}` : 'no'}</td>
      <td className="grow">{input ? <code>{input}</code> : <span className="muted">the body</span>}</td>
      <td className="number">
        <Time at={hook.createdAt} />
      </td>
      <td className="number">
        <ConfirmButton
          title="Revoke this hook?"
          text="Its address answers 404 from now on. This cannot be taken back."
          action="Revoke"
          busy={revoke.isPending}
          disabled={!may}
          why={may ? undefined : 'You need the role editor'}
          onConfirm={() => revoke.mutate()}
        />
      </td>
    </tr>
  )
}
