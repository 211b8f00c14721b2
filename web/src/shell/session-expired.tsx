import { queryClient } from '../api/query-client'
import { SignInForm } from '../session/sign-in-form'
import { Dialog } from '../ui/dialog'

/** Over the page, not instead of it: what was typed stays. */
export function SessionExpired({ email }: { email: string }) {
  return (
    <Dialog title="Your session has ended" onClose={() => undefined} locked>
      <p className="muted">Sign in again to go on. Nothing on this page is lost.</p>
      <SignInForm
        email={email}
        onDone={() => {
          void queryClient.invalidateQueries()
        }}
      />
    </Dialog>
  )
}
