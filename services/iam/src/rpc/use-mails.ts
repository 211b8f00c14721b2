import type { iamServiceDefinition } from '@millrace/contracts'
import type { HandlersOf } from '@millrace/grpc'
import type { IamContext } from '../context.js'
import { useToday } from '../db/daily-usage.js'
import { findQuotas } from '../db/quotas.js'
import { secondsToNextDay } from '../domain/day.js'
import { quotaDefaults } from '../domain/quotas.js'
import { requireProjectId } from './quotas.js'

export function useMails(ctx: IamContext): HandlersOf<typeof iamServiceDefinition>['useMails'] {
  return async ({ projectId, mails }) => {
    const found = await findQuotas(ctx.pool, { projectId: requireProjectId(projectId) })
    const limit = found ? found.quotas.mailsPerDay : quotaDefaults.mailsPerDay
    const allowed = await useToday(ctx.pool, { projectId, quota: 'mailsPerDay', amount: mails, limit })
    return { allowed, retryAfterSeconds: secondsToNextDay(Date.now()) }
  }
}
