import type { QueryKey } from '@tanstack/react-query'
import { useState } from 'react'
import { read } from '../api/client'
import type { Role } from '../api/types'
import { useMay } from '../api/use-api'
import { useAction } from '../shell/use-action'
import { Button } from '../ui/button'
import { AreaField } from '../ui/field'
import './decide.css'

interface DecideProps {
  runId: string
  taskKey: string
  /** The lowest that may decide, as the task says. */
  role: string
  /** What is shown at once, where a list of approvals is on screen. */
  optimistic?: { queryKey: QueryKey; update: (old: never) => unknown }
}

/** Approve or reject, with a comment. */
export function Decide({ runId, taskKey, role, optimistic }: DecideProps) {
  const may = useMay(role as Role)
  const needed = may ? undefined : `You need the role ${role}`
  const [comment, setComment] = useState('')
  const decide = useAction<'approve' | 'reject'>({
    run: (api, decision) => {
      const options = { params: { path: { id: runId, key: taskKey } }, body: comment === '' ? {} : { comment } }
      return decision === 'approve'
        ? read(api.client.POST('/api/v1/runs/{id}/tasks/{key}/approve', options))
        : read(api.client.POST('/api/v1/runs/{id}/tasks/{key}/reject', options))
    },
    done: (_, decision) => (decision === 'approve' ? 'Approved' : 'Rejected'),
    ...(optimistic ? { optimistic } : {}),
  })
  const common = { busy: decide.isPending, disabled: !may, title: needed }
  return (
    <div className="decide">
      {needed && <p className="muted">{needed} to decide.</p>}
      <AreaField
        label="Comment"
        rows={2}
        maxLength={2000}
        disabled={!may}
        value={comment}
        onChange={(event) => setComment(event.target.value)}
      />
      <div className="decide-buttons">
        <Button {...common} look="primary" icon="check" onClick={() => decide.mutate('approve')}>
          Approve
        </Button>
        <Button {...common} look="danger" icon="close" onClick={() => decide.mutate('reject')}>
          Reject
        </Button>
      </div>
    </div>
  )
}
