import { useLocation } from '@tanstack/react-router'
import { useEffect } from 'react'
import { queryClient } from '../api/query-client'
import { resumeSession } from '../api/session'
import { OidcProviders } from '../session/oidc-providers'
import { SignInForm } from '../session/sign-in-form'
import { Dialog } from '../ui/dialog'

const readAnew = () => void queryClient.invalidateQueries()

/** Whoever signed in again in another tab comes back to this one. */
function useReturn() {
  useEffect(() => {
    const look = () => {
      if (!document.hidden)
        void resumeSession().then(
          (signedIn) => signedIn && readAnew(),
          () => undefined,
        )
    }
    window.addEventListener('focus', look)
    document.addEventListener('visibilitychange', look)
    return () => {
      window.removeEventListener('focus', look)
      document.removeEventListener('visibilitychange', look)
    }
  }, [])
}

/** Over the page, not instead of it: what was typed stays. */
export function SessionExpired({ email }: { email: string }) {
  const { href } = useLocation()
  useReturn()
  return (
    <Dialog title="Your session has ended" onClose={() => undefined} locked>
      <p className="muted">Sign in again to go on. Nothing on this page is lost.</p>
      <SignInForm email={email} onDone={readAnew} />
      <OidcProviders to={href} newTab />
    </Dialog>
  )
}
