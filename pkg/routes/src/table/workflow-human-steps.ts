import { defineRoute } from '../define-route.js'
import { answer, input, object, oneOf, page, text, userJson } from '../schema.js'
import type { Route } from '../types.js'
import { inSummary, runDetail, runSummary, task } from './workflow-schemas.js'

const decision = (operationId: 'approveTask' | 'rejectTask', verb: 'approve' | 'reject', summary: string): Route =>
  defineRoute({
    operationId,
    service: 'workflow',
    method: 'POST',
    path: `/api/v1/runs/{id}/tasks/{key}/${verb}`,
    // The task itself names the role that may decide; the scheduler checks it.
    access: 'viewer',
    summary,
    tag: 'Runs',
    body: { required: false, schema: input({ comment: text(2000) }) },
    responses: { 200: answer('The run', runDetail) },
  })

export const humanStepRoutes: readonly Route[] = [
  defineRoute({
    operationId: 'listApprovals',
    service: 'workflow',
    method: 'GET',
    path: '/api/v1/approvals',
    access: 'viewer',
    summary: 'What waits for a decision of the caller, those of the oldest runs first',
    tag: 'Runs',
    list: true,
    responses: {
      200: answer(
        'Approvals',
        page(
          object(
            {
              run: object(runSummary, inSummary),
              task,
              role: oneOf('viewer', 'operator', 'editor', 'owner'),
              message: text(),
            },
            ['run', 'task', 'role', 'message'],
          ),
        ),
      ),
    },
  }),
  decision('approveTask', 'approve', 'Approve a task that waits for it'),
  decision('rejectTask', 'reject', 'Reject a task that waits for approval'),
  defineRoute({
    operationId: 'sendSignal',
    service: 'workflow',
    method: 'POST',
    path: '/api/v1/runs/{id}/signals/{name}',
    access: 'operator',
    summary: 'Send a signal; one that comes early is kept',
    tag: 'Runs',
    idempotent: true,
    body: { required: false, schema: input({ payload: userJson }) },
    responses: { 200: answer('The run', runDetail) },
  }),
]
