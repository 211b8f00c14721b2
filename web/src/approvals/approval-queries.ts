import { queryOptions } from '@tanstack/react-query'
import { type Api, read } from '../api/client'
import type { Approval, Body } from '../api/types'

export type ApprovalList = Body<'listApprovals'>

const shown = 100

export const approvalsKey = ['live', 'approvals'] as const

/** The oldest first: with more than these, deciding brings up the rest. */
export const approvalsQuery = (api: Api) =>
  queryOptions({
    queryKey: [api.project, ...approvalsKey],
    queryFn: () => read(api.client.GET('/api/v1/approvals', { params: { query: { limit: shown } } })),
  })

/** One approval in the address. Task keys have no colon, and neither have ids. */
export const approvalId = ({ run, task }: Approval): string => `${run.id}:${task.key}`

/** Shown until the list is read anew. The card stays, so that a refusal finds the comment as it was typed. */
export const decided = (list: ApprovalList, id: string): ApprovalList => ({
  ...list,
  items: list.items.map((approval) =>
    approvalId(approval) === id ? { ...approval, task: { ...approval.task, status: 'succeeded' } } : approval,
  ),
})
