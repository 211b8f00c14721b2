import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { read } from '../api/client'
import { useApi, useMay } from '../api/use-api'
import { ErrorNotice } from '../shell/error-notice'
import { useAction } from '../shell/use-action'
import { Button } from '../ui/button'
import { ConfirmButton } from '../ui/confirm-button'
import { CopyId } from '../ui/copy'
import { Dialog } from '../ui/dialog'
import { formatBytes } from '../ui/format'
import { SkeletonRows } from '../ui/states'
import { Time } from '../ui/time'
import { type Artifact, artifactQuery } from './artifact-queries'
import { DownloadLink } from './download-link'
import { Preview } from './preview-view'
import { useDownload } from './use-download'

export function ArtifactDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const artifact = useQuery(artifactQuery(useApi(), id))
  return (
    <Dialog title={artifact.data?.name ?? 'Artifact'} wide onClose={onClose}>
      {artifact.isPending && <SkeletonRows rows={6} columns={2} />}
      {!artifact.data && artifact.isError && (
        <ErrorNotice error={artifact.error} onRetry={() => void artifact.refetch()} />
      )}
      {artifact.data && <ArtifactView artifact={artifact.data} onClose={onClose} />}
    </Dialog>
  )
}

function ArtifactView({ artifact, onClose }: { artifact: Artifact; onClose: () => void }) {
  const { project } = useApi()
  const ready = artifact.state === 'complete'
  return (
    <>
      <dl className="facts">
        <dt>Type</dt>
        <dd>{artifact.contentType}</dd>
        <dt>Size</dt>
        <dd>{artifact.size === null ? '–' : formatBytes(artifact.size)}</dd>
        <dt>Created</dt>
        <dd>
          <Time at={artifact.createdAt} />
        </dd>
        {artifact.runId && (
          <>
            <dt>Left by</dt>
            <dd>
              <Link
                to="/p/$project/runs/$runId"
                params={{ project, runId: artifact.runId }}
                search={artifact.task ? { task: artifact.task } : {}}
              >
                {artifact.task ?? 'the run'} of run {artifact.runId.slice(-8)}
              </Link>
            </dd>
          </>
        )}
        {artifact.sha256 && (
          <>
            <dt>SHA-256</dt>
            <dd>
              <CopyId id={artifact.sha256} whole />
            </dd>
          </>
        )}
        <dt>Id</dt>
        <dd>
          <CopyId id={artifact.id} whole />
        </dd>
      </dl>
      <ArtifactActions artifact={artifact} onDeleted={onClose} />
      {ready ? (
        <Preview artifact={artifact} />
      ) : (
        <p className="muted">Its upload is not complete yet: there is nothing to show.</p>
      )}
    </>
  )
}

function ArtifactActions({ artifact, onDeleted }: { artifact: Artifact; onDeleted: () => void }) {
  const may = useMay('editor')
  const download = useDownload()
  const [linking, setLinking] = useState(false)
  const { id, name } = artifact
  const remove = useAction({
    run: (api) => read(api.client.DELETE('/api/v1/artifacts/{id}', { params: { path: { id } } })),
    done: `${name} is deleted`,
    touches: ['live', 'artifacts'],
    onDone: onDeleted,
  })
  const ready = artifact.state === 'complete'
  const needs = may ? undefined : 'You need the role editor'
  return (
    <>
      <div className="artifacts-actions">
        <Button
          look="primary"
          icon="download"
          busy={download.isPending}
          disabled={!ready}
          onClick={() => download.mutate({ id, name })}
        >
          Download
        </Button>
        <Button icon="copy" disabled={!ready || !may} title={needs} onClick={() => setLinking((old) => !old)}>
          Link to share
        </Button>
        <ConfirmButton
          title={`Delete ${name}?`}
          text="The file is gone for good. A run that reads it fails."
          action="Delete"
          small={false}
          busy={remove.isPending}
          disabled={!may}
          why={needs}
          onConfirm={() => remove.mutate()}
        />
      </div>
      {linking && <DownloadLink id={id} />}
    </>
  )
}
