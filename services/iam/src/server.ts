import { authorizationDefinition, iamServiceDefinition } from '@millrace/contracts'
import { migrateEvents, type Subscription } from '@millrace/events'
import { createGrpcServer, type GrpcServer } from '@millrace/grpc'
import { createHttpServer, type HttpServer } from '@millrace/http'
import { IdentityVerifier } from '@millrace/identity'
import { migrate, pingPool } from '@millrace/postgres'
import { routesOf } from '@millrace/routes'
import { untilDone } from '@millrace/service-runner'
import { ensureChainKey } from './audit-chain-keys.js'
import { bootstrapAdmin } from './bootstrap-admin.js'
import type { IamConfig } from './config.js'
import { recordAuditEvents } from './consumers/audit-recorded.js'
import { removeDeletedProjects } from './consumers/project-deleted.js'
import { createContext, type IamContext, type IamDeps } from './context.js'
import { adoptAuditLog } from './db/adopt-audit-log.js'
import { startHousekeeping } from './housekeeping.js'
import { createHandlers } from './http/handlers.js'
import { rewrapAll } from './rewrap.js'
import { check } from './rpc/check.js'
import { findInvalidKeys } from './rpc/find-invalid-keys.js'
import { getJwks } from './rpc/get-jwks.js'
import { getSecrets } from './rpc/get-secrets.js'
import { getSubjectNames } from './rpc/get-subject-names.js'
import { getQuotas, getUsage } from './rpc/quotas.js'
import { reportStorage } from './rpc/report-storage.js'
import { keepStreams, openStream } from './rpc/streams.js'
import { useMails } from './rpc/use-mails.js'
import { validateToken } from './rpc/validate-token.js'

export interface IamService {
  start(): Promise<void>
  /** Stops accepting, finishes what is in flight, then closes; safe after a failed start. */
  stop(): Promise<void>
  /** 0 before start. */
  readonly httpPort: number
  readonly grpcPort: number
}

function httpServer(ctx: IamContext): HttpServer {
  return createHttpServer({
    service: 'iam',
    routes: routesOf('iam'),
    handlers: createHandlers(ctx),
    verifier: new IdentityVerifier(async () => ctx.keys.jwks),
    tls: ctx.config.identity.tls,
    logger: ctx.logger,
    onRefusal: (refusal) => ctx.refusals.note(refusal),
    idempotency: { pool: ctx.pool, digestKeys: ctx.masterKeys.map((key) => key.toString('base64')) },
    readiness: async () => {
      const ok = await pingPool(ctx.pool)
      return { ok, dependencies: { postgres: ok ? 'up' : 'down' } }
    },
  })
}

function grpcServer(ctx: IamContext): GrpcServer {
  return createGrpcServer({
    service: 'iam',
    logger: ctx.logger,
    auth: { kind: 'internal', identity: ctx.config.identity },
    services: [
      {
        definition: iamServiceDefinition,
        handlers: {
          findInvalidKeys: findInvalidKeys(ctx),
          getJwks: getJwks(ctx),
          getQuotas: getQuotas(ctx),
          getSecrets: getSecrets(ctx),
          getSubjectNames: getSubjectNames(ctx),
          getUsage: getUsage(ctx),
          keepStreams: keepStreams(ctx),
          openStream: openStream(ctx),
          reportStorage: reportStorage(ctx),
          useMails: useMails(ctx),
          validateToken: validateToken(ctx),
        },
      },
      // Envoy cannot make service tokens. A caller learns nothing here that its own credential does not already give it.
      { definition: authorizationDefinition, handlers: { check: check(ctx) }, open: true },
    ],
  })
}

async function subscribe(ctx: IamContext): Promise<Subscription[]> {
  return [
    await ctx.bus.subscribe({
      // Not the name of the group in releases that keep the log elsewhere: while both run, each reads every entry.
      group: 'iam.audit-log',
      topics: ['audit.recorded'],
      handler: recordAuditEvents(ctx),
    }),
    await ctx.bus.subscribe({
      group: 'iam.projects',
      topics: ['project.deleted'],
      handler: removeDeletedProjects(ctx),
    }),
  ]
}

export function createIamService(config: IamConfig, overrides: Partial<IamDeps> = {}): IamService {
  /** What was started, to be undone in reverse, whether all of it was or not. */
  const undo: (() => void | Promise<void>)[] = []
  const ports = { http: 0, grpc: 0 }

  async function open(): Promise<void> {
    const ctx = await createContext(config, overrides)
    undo.push(() => ctx.close())
    await migrate(ctx.pool, { schema: 'iam', directory: new URL('../migrations', import.meta.url) })
    await migrateEvents(ctx.pool)
    if (await adoptAuditLog(ctx.pool)) ctx.logger.info('the audit log is append-only by the rights of its role now')
    await ensureChainKey(ctx.pool, ctx.auditChain)
    await ctx.keys.start()
    await bootstrapAdmin(ctx)
    for (const subscription of await subscribe(ctx)) undo.push(() => subscription.close())
    undo.push(startHousekeeping(ctx))
    if (config.previousMasterKey) undo.push(untilDone('sealing anew', ctx.logger, () => rewrapAll(ctx)))
    ctx.keyUsage.start()
    undo.push(() => ctx.keyUsage.stop())
    ctx.mail.start()
    undo.push(() => ctx.mail.stop())
    const grpc = grpcServer(ctx)
    undo.push(() => grpc.stop())
    ports.grpc = await grpc.start(config.grpc.host, config.grpc.port)
    const http = httpServer(ctx)
    undo.push(() => http.stop())
    ports.http = await http.start(config.http.host, config.http.port)
    ctx.logger.info({ http: ports.http, grpc: ports.grpc }, 'iam is up')
  }

  async function stop(): Promise<void> {
    for (const step of undo.splice(0).reverse()) await step()
  }

  return {
    async start() {
      try {
        await open()
      } catch (error) {
        await stop()
        throw error
      }
    },
    stop,
    get httpPort() {
      return ports.http
    },
    get grpcPort() {
      return ports.grpc
    },
  }
}
