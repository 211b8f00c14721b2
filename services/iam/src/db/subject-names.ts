import type { Queryable } from '@millrace/postgres'

/**
 * Of a project's own members and keys alone; who is neither has no name here. A member without a name is shown by
 * address, as the list of members does. A key keeps its name after it was revoked.
 */
export async function findSubjectNames(
  db: Queryable,
  projectId: string,
  { userIds, keyIds }: { userIds: readonly string[]; keyIds: readonly string[] },
): Promise<{ subject: string; name: string }[]> {
  const { rows } = await db.query<{ subject: string; name: string }>({
    name: 'iam-subject-names',
    text: `select 'user:' || u.id as subject, coalesce(nullif(u.name, ''), u.email) as name
        from members m join users u on u.id = m.user_id where m.project_id = $1 and m.user_id = any($2::uuid[])
      union all
      select 'key:' || id, name from api_keys where project_id = $1 and id = any($3::uuid[])`,
    values: [projectId, userIds, keyIds],
  })
  return rows
}
