import { ApiError, messageOf, OfflineError } from '../api/problem'
import { Button } from '../ui/button'
import { CopyId } from '../ui/copy'
import { Notice } from '../ui/states'

const titles: Readonly<Record<number, string>> = {
  403: 'You may not see this',
  404: 'There is nothing here',
  429: 'Too many requests',
}

/** A room's content could not be read: what happened, how to refer to it, what to do. */
export function ErrorNotice({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const retry = onRetry && <Button onClick={onRetry}>Try again</Button>
  if (error instanceof OfflineError) {
    return (
      <Notice icon="warning" title="Millrace cannot be reached" actions={retry}>
        <p>The server is not answering, or you are offline. Nothing you did is lost; this page asks again by itself.</p>
      </Notice>
    )
  }
  const problem = error instanceof ApiError ? error.problem : undefined
  const title = titles[problem?.status ?? 0] ?? 'This could not be read'
  return (
    <Notice icon={problem?.status === 403 ? 'lock' : 'warning'} title={title} actions={retry}>
      <p>{messageOf(error)}</p>
      {problem?.requestId && (
        <p>
          Request <CopyId id={problem.requestId} whole />
        </p>
      )}
    </Notice>
  )
}
