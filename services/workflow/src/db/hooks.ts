import type { Queryable } from '@millrace/postgres'
import type { HookScheme } from '../domain/verify-hook.js'

export interface NewHook {
  id: string
  projectId: string
  workflowId: string
  tokenHash: Buffer
  verify: HookVerification | null
  input: string | null
  createdBy: string
  createdAt: Date
}

/** The secret is sealed, with the hook's id bound in. */
export interface HookVerification {
  type: HookScheme
  header: string | null
  secret: Buffer
}

export async function insertHook(db: Queryable, hook: NewHook): Promise<void> {
  await db.query(
    `insert into hooks (id, project_id, workflow_id, token_hash, created_by, created_at,
       verify_type, verify_header, verify_secret, input_expression)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [
      ...[hook.id, hook.projectId, hook.workflowId, hook.tokenHash, hook.createdBy, hook.createdAt],
      ...[hook.verify?.type, hook.verify?.header, hook.verify?.secret, hook.input],
    ],
  )
}

export interface HookSummary {
  id: string
  verifyType: HookScheme | null
  verifyHeader: string | null
  input: string | null
  createdBy: string
  createdAt: Date
}

export async function listHooks(
  db: Queryable,
  workflowId: string,
  before: { createdAt: string; id: string } | undefined,
  limit: number,
): Promise<HookSummary[]> {
  const { rows } = await db.query<HookSummary>(
    `select id, verify_type as "verifyType", verify_header as "verifyHeader", input_expression as input,
       created_by as "createdBy", created_at as "createdAt" from hooks
     where workflow_id = $1 and revoked_at is null
       and ($2::timestamptz is null or (created_at, id) < ($2, $3::uuid))
     order by created_at desc, id desc limit $4`,
    [workflowId, before?.createdAt ?? null, before?.id ?? null, limit],
  )
  return rows
}

export async function revokeHook(db: Queryable, workflowId: string, id: string): Promise<boolean> {
  const result = await db.query(
    'update hooks set revoked_at = clock_timestamp() where id = $1 and workflow_id = $2 and revoked_at is null',
    [id, workflowId],
  )
  return result.rowCount === 1
}

export interface LiveHook {
  id: string
  projectId: string
  workflow: string
  verifyType: HookScheme | null
  verifyHeader: string | null
  verifySecret: Buffer | null
  input: string | null
}

/** A hook belongs to a workflow, not to its name: one made later under the same name does not answer to it. */
export async function findLiveHook(db: Queryable, tokenHash: Buffer): Promise<LiveHook | undefined> {
  const { rows } = await db.query<LiveHook>({
    name: 'workflow-find-live-hook',
    text: `select h.id, h.project_id as "projectId", f.name as workflow, h.verify_type as "verifyType",
        h.verify_header as "verifyHeader", h.verify_secret as "verifySecret", h.input_expression as input
      from hooks h join workflows f on f.id = h.workflow_id and f.archived_at is null
      where h.token_hash = $1 and h.revoked_at is null`,
    values: [tokenHash],
  })
  return rows[0]
}
