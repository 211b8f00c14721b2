import type { RouteHandler } from '@millrace/http'
import type { IamContext } from '../context.js'
import { createApiKey, deleteApiKey, listApiKeys } from './api-keys.js'
import { changePassword } from './change-password.js'
import { getJwks } from './get-jwks.js'
import { getMe } from './get-me.js'
import { listAudit } from './list-audit.js'
import { login } from './login.js'
import { logout } from './logout.js'
import { deleteMember, getMember, listMembers, putMember, putMemberById } from './members.js'
import { createProject, listProjects } from './projects.js'
import { refresh } from './refresh.js'
import { register } from './register.js'
import { deleteSecret, listSecrets, putSecret } from './secrets.js'
import { listUsers, updateUser } from './users.js'

const factories: Record<string, (ctx: IamContext) => RouteHandler> = {
  register,
  login,
  refresh,
  logout,
  changePassword,
  getMe,
  getJwks,
  createProject,
  listProjects,
  listMembers,
  putMember,
  getMember,
  putMemberById,
  deleteMember,
  createApiKey,
  listApiKeys,
  deleteApiKey,
  putSecret,
  listSecrets,
  deleteSecret,
  listAudit,
  listUsers,
  updateUser,
}

export function createHandlers(ctx: IamContext): Record<string, RouteHandler> {
  return Object.fromEntries(Object.entries(factories).map(([name, create]) => [name, create(ctx)]))
}
