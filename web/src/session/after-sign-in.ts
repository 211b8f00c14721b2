/** Only a path of our own: an address from outside must not become a place to be sent to after signing in. */
export function safeTarget(to: string | undefined): string {
  return to !== undefined && /^\/(?![/\\])/.test(to) && !to.startsWith('/sign-in') ? to : '/'
}
