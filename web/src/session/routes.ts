import { type AnyRootRoute, createRoute, lazyRouteComponent } from '@tanstack/react-router'

const search = (input: Record<string, unknown>): { to?: string; token?: string } => ({
  ...(typeof input.to === 'string' ? { to: input.to } : {}),
  ...(typeof input.token === 'string' ? { token: input.token } : {}),
})

/** What is open to everyone. Pages that hold a one-time token have it from a mail. */
export function signedOutRoutes<Root extends AnyRootRoute>(root: Root) {
  const page = <Path extends string>(path: Path, load: () => Promise<Record<string, unknown>>, name: string) =>
    createRoute({
      getParentRoute: () => root,
      path,
      validateSearch: search,
      component: lazyRouteComponent(load as () => Promise<Record<string, never>>, name),
    })
  return [
    page('/sign-in', () => import('./sign-in-page'), 'SignInPage'),
    page('/register', () => import('./register-page'), 'RegisterPage'),
    page('/forgot', () => import('./reset-pages'), 'ForgotPage'),
    page('/reset', () => import('./reset-pages'), 'ResetPage'),
    page('/verify', () => import('./token-pages'), 'VerifyPage'),
    page('/invitations/$token', () => import('./token-pages'), 'InvitationPage'),
    page('/no-project', () => import('./token-pages'), 'NoProjectPage'),
  ] as const
}
