import { unavailable } from '@millrace/errors'
import type { Logger } from '@millrace/logger'
import * as client from 'openid-client'
import type { OidcProvider } from './providers-field.js'

/** A provider that was not there is asked again after this long. */
const RETRY_MS = 5000
const TIMEOUT_SECONDS = 5

export const providerUnavailable = (cause: unknown) =>
  unavailable('oidc_unavailable', 'The identity provider does not answer right now.', cause)

/** What the providers say about themselves, asked for when first needed. Addresses come from the operator alone. */
export class ProviderClients {
  private readonly known = new Map<string, { config: Promise<client.Configuration>; failedAt?: number }>()

  constructor(
    readonly providers: readonly OidcProvider[],
    private readonly logger: Logger,
  ) {}

  async configurationOf(provider: OidcProvider): Promise<client.Configuration> {
    const known = this.known.get(provider.id)
    if (known && (known.failedAt === undefined || performance.now() - known.failedAt < RETRY_MS)) return known.config
    const config = discover(provider).catch((error: unknown) => {
      this.logger.warn({ err: error, provider: provider.id }, 'an identity provider could not be read')
      entry.failedAt = performance.now()
      throw providerUnavailable(error)
    })
    const entry: { config: Promise<client.Configuration>; failedAt?: number } = { config }
    this.known.set(provider.id, entry)
    return config
  }
}

function discover({ issuer, clientId, clientSecret }: OidcProvider): Promise<client.Configuration> {
  const url = new URL(issuer)
  const execute = url.protocol === 'http:' ? [client.allowInsecureRequests] : []
  const authentication = clientSecret === undefined ? client.None() : client.ClientSecretBasic(clientSecret)
  return client.discovery(url, clientId, undefined, authentication, { execute, timeout: TIMEOUT_SECONDS })
}
