import { useQuery } from '@tanstack/react-query'
import { read } from '../api/client'
import type { Task } from '../api/types'
import { useApi } from '../api/use-api'
import { useDownload } from '../artifacts/use-download'
import { Button } from '../ui/button'
import { formatBytes } from '../ui/format'
import { Time } from '../ui/time'

export function TaskArtifacts({ runId, task }: { runId: string; task: Task }) {
  const api = useApi()
  const list = useQuery({
    queryKey: [api.project, 'artifacts', runId, task.key, task.status],
    queryFn: () => read(api.client.GET('/api/v1/artifacts', { params: { query: { run: runId, task: task.key } } })),
  })
  const download = useDownload()
  const items = list.data?.items ?? []
  if (list.isSuccess && items.length === 0) return <p className="muted drawer-pad">The task left no artifacts.</p>
  return (
    <ul className="artifacts">
      {items.map((artifact) => (
        <li key={artifact.id} className="drawer-line artifact">
          <span className="artifact-name" title={artifact.name}>
            {artifact.name}
          </span>
          <span className="muted">{artifact.size == null ? '' : formatBytes(artifact.size)}</span>
          <span className="muted">
            <Time at={artifact.createdAt} />
          </span>
          <Button
            small
            icon="download"
            onClick={() => download.mutate({ id: artifact.id ?? '', name: artifact.name ?? '' })}
          >
            Download
          </Button>
        </li>
      ))}
    </ul>
  )
}
