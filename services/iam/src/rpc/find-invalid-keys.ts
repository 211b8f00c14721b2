import type { iamServiceDefinition } from '@millrace/contracts'
import { malformed } from '@millrace/errors'
import type { HandlersOf } from '@millrace/grpc'
import { validate as isUuid } from 'uuid'
import type { IamContext } from '../context.js'
import { findUsableKeys } from '../db/credentials.js'

const maxIds = 1000

/** Read from the rows each time: a worker's session ends with its key. */
export function findInvalidKeys(ctx: IamContext): HandlersOf<typeof iamServiceDefinition>['findInvalidKeys'] {
  return async ({ ids }) => {
    if (ids.length > maxIds) throw malformed('too_many_ids', `At most ${maxIds} keys are looked at at once.`)
    const usable = await findUsableKeys(
      ctx.pool,
      ids.filter((id) => isUuid(id)),
    )
    return { ids: ids.filter((id) => !usable.has(id.toLowerCase())) }
  }
}
