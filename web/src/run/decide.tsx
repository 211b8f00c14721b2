import type { QueryKey } from '@tanstack/react-query'
import { useState } from 'react'
import { read } from '../api/client'
import { useAction } from '../shell/use-action'
import { Button } from '../ui/button'
import { AreaField } from '../ui/field'
import './decide.css'

interface DecideProps {
  runId: string
  taskKey: string
  /** What is shown at once, where a list of approvals is on screen. */
  optimistic?: { queryKey: QueryKey; update: (old: never) => unknown }
}

/** Approve or reject, with a comment. Who may is the API's to say: the task names a role. */
export function Decide({ runId, taskKey, optimistic }: DecideProps) {
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
  return (
    <div className="decide">
      <AreaField
        label="Comment"
        rows={2}
        maxLength={2000}
        value={comment}
        onChange={(event) => setComment(event.target.value)}
      />
      <div className="decide-buttons">
        <Button look="primary" icon="check" busy={decide.isPending} onClick={() => decide.mutate('approve')}>
          Approve
        </Button>
        <Button look="danger" icon="close" busy={decide.isPending} onClick={() => decide.mutate('reject')}>
          Reject
        </Button>
      </div>
    </div>
  )
}
