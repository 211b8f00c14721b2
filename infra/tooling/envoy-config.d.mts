import type { EnvoyRoute } from '@millrace/routes'

export const defaultAddresses: Record<string, string>
/** An Envoy bootstrap for these routes; every cluster at its address. */
export function envoyConfig(routes: readonly EnvoyRoute[], addresses?: Record<string, string>): object
