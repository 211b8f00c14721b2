import type { RouteHandler } from '@millrace/http'
import type { IamContext } from '../context.js'
import { acceptInvitation } from './accept-invitation.js'
import { createApiKey, deleteApiKey, listApiKeys } from './api-keys.js'
import { changePassword } from './change-password.js'
import { getJwks } from './get-jwks.js'
import { getMe } from './get-me.js'
import { createInvitation, deleteInvitation, listInvitations } from './invitations.js'
import { listAudit } from './list-audit.js'
import { login } from './login.js'
import { logout } from './logout.js'
import {
  deleteMember,
  getMember,
  leaveProject,
  listMembers,
  putMember,
  putMemberById,
  transferProject,
} from './members.js'
import { finishOidc } from './oidc-callback.js'
import { listOidcProviders, startOidc } from './oidc-start.js'
import { deleteProject, getProject, updateProject } from './one-project.js'
import { createProject, listProjects } from './projects.js'
import { refresh } from './refresh.js'
import { register } from './register.js'
import { forgotPassword, resetPassword } from './reset-password.js'
import { rotateSigningKey } from './rotate-signing-key.js'
import { deleteSecret, listSecrets, putSecret } from './secrets.js'
import {
  createServiceAccount,
  deleteServiceAccount,
  getServiceAccount,
  listServiceAccounts,
} from './service-accounts.js'
import { deleteSession, listSessions } from './sessions.js'
import { listUsers, updateUser } from './users.js'
import { verifyAudit } from './verify-audit.js'
import { verifyEmail } from './verify-email.js'

const factories: Record<string, (ctx: IamContext) => RouteHandler> = {
  register,
  login,
  refresh,
  logout,
  listSessions,
  deleteSession,
  changePassword,
  forgotPassword,
  resetPassword,
  verifyEmail,
  getMe,
  getJwks,
  createProject,
  listProjects,
  getProject,
  updateProject,
  deleteProject,
  listMembers,
  putMember,
  getMember,
  putMemberById,
  deleteMember,
  leaveProject,
  transferProject,
  createInvitation,
  listInvitations,
  deleteInvitation,
  acceptInvitation,
  createServiceAccount,
  listServiceAccounts,
  getServiceAccount,
  deleteServiceAccount,
  createApiKey,
  listApiKeys,
  deleteApiKey,
  putSecret,
  listSecrets,
  deleteSecret,
  listAudit,
  finishOidc,
  listOidcProviders,
  startOidc,
  verifyAudit,
  listUsers,
  rotateSigningKey,
  updateUser,
}

export function createHandlers(ctx: IamContext): Record<string, RouteHandler> {
  return Object.fromEntries(Object.entries(factories).map(([name, create]) => [name, create(ctx)]))
}
