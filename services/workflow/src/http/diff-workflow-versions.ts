import { notFound } from '@millrace/errors'
import type { RouteHandler } from '@millrace/http'
import type { AppContext } from '../context.js'
import { resolveVersion, type VersionRow } from '../db/versions.js'
import { diffTasks, diffValues } from '../domain/diff-definitions.js'
import { workflowAbsent, workflowNameOf } from './path-id.js'

const maxVersion = 2_147_483_647

export function diffWorkflowVersions(ctx: AppContext): RouteHandler {
  return async (req) => {
    const name = workflowNameOf(req)
    const read = (text: string | undefined) => readVersion(ctx, req.identity.projectId, name, text ?? '')
    const [before, after] = [await read(req.params.from), await read(req.params.to)]
    return {
      status: 200,
      body: {
        from: before.version,
        to: after.version,
        tasks: diffTasks(before.definition.tasks, after.definition.tasks),
        changes: diffValues(before.definition, after.definition),
      },
    }
  }
}

async function readVersion(ctx: AppContext, projectId: string, name: string, text: string): Promise<VersionRow> {
  const version = /^[1-9]\d{0,9}$/.test(text) && Number(text) <= maxVersion ? Number(text) : undefined
  const { workflowExists, row } = await resolveVersion(ctx.pool, projectId, name, version ?? maxVersion)
  if (!workflowExists) throw workflowAbsent()
  if (version === undefined || row === undefined) {
    throw notFound('version_not_found', 'The workflow has no such version.')
  }
  return row
}
