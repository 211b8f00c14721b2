import type { workflow as proto } from '@millrace/contracts'
import { notFound } from '@millrace/errors'
import type { UnaryHandler } from '@millrace/grpc'
import { validate } from 'uuid'
import type { AppContext } from '../context.js'

export function getVersion(ctx: AppContext): UnaryHandler<proto.GetVersionRequest__Output, proto.GetVersionResponse> {
  return async ({ versionId }) => {
    const version = validate(versionId) ? await ctx.versions.byId(versionId) : undefined
    if (version === undefined) throw notFound('version_not_found', 'There is no such version.')
    const { row } = version
    return {
      versionId: row.id,
      projectId: row.projectId,
      workflow: row.name,
      version: row.version,
      definitionJson: JSON.stringify(row.definition),
    }
  }
}
