import type { iamServiceDefinition } from '@millrace/contracts'
import { malformed } from '@millrace/errors'
import type { HandlersOf } from '@millrace/grpc'
import { validate as isUuid } from 'uuid'
import type { IamContext } from '../context.js'
import { findSubjectNames } from '../db/subject-names.js'

const maxSubjects = 1000

export function getSubjectNames(ctx: IamContext): HandlersOf<typeof iamServiceDefinition>['getSubjectNames'] {
  return async ({ projectId, subjects }) => {
    if (subjects.length > maxSubjects) {
      throw malformed('too_many_subjects', `At most ${maxSubjects} subjects are looked at at once.`)
    }
    const idsOf = (kind: string) =>
      subjects.filter((subject) => subject.startsWith(kind)).map((subject) => subject.slice(kind.length))
    const [userIds, keyIds] = [idsOf('user:').filter((id) => isUuid(id)), idsOf('key:').filter((id) => isUuid(id))]
    if (!isUuid(projectId) || userIds.length + keyIds.length === 0) return { names: {} }
    const found = await findSubjectNames(ctx.pool, projectId, { userIds, keyIds })
    return { names: Object.fromEntries(found.map(({ subject, name }) => [subject, name])) }
  }
}
