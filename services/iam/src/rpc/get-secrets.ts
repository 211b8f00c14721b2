import type { iamServiceDefinition } from '@millrace/contracts'
import { malformed } from '@millrace/errors'
import type { HandlersOf } from '@millrace/grpc'
import { validate as isUuid } from 'uuid'
import type { IamContext } from '../context.js'
import { findSecrets } from '../db/secrets.js'
import { isSecretName } from '../domain/secret.js'

const maxNames = 1000

/** The only way for values to leave. The scheduler alone may call it (`service-access.ts`): it puts them into leases. */
export function getSecrets(ctx: IamContext): HandlersOf<typeof iamServiceDefinition>['getSecrets'] {
  return async ({ projectId, names }) => {
    if (!isUuid(projectId)) throw malformed('invalid_project', 'The project must be named by its id.')
    if (names.length > maxNames) throw malformed('too_many_names', `At most ${maxNames} secrets are read at once.`)
    const rows = await findSecrets(ctx.pool, projectId, names.filter(isSecretName))
    const secrets: { name: string; value: string }[] = []
    const unreadable: string[] = []
    for (const { name, ...sealed } of rows) {
      try {
        secrets.push({ name, value: ctx.secrets.open({ projectId, name }, sealed) })
      } catch {
        // The error may quote what it choked on: the name is enough.
        ctx.logger.error({ projectId, name }, 'a secret does not open with this master key')
        unreadable.push(name)
      }
    }
    return { secrets, unreadable }
  }
}
