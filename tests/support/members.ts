import { login } from './client.js'
import type { Target } from './target.js'

/** Makes a user a member of a project, as the platform's administrator may; everybody else needs an invitation. */
export async function addMember(
  target: Pick<Target, 'url' | 'admin'>,
  slug: string,
  userId: string,
  role: string,
): Promise<void> {
  const admin = await login(target, target.admin)
  await admin.want(200, 'PUT', `/api/v1/projects/${slug}/members`, { body: { userId, role } })
}
