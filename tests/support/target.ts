import { type HttpSink, httpSink } from '@millrace/testkit'
import { type Mailbox, mailpit, ownMailbox } from './mailbox.js'
import { Standalone } from './standalone.js'

/**
 * The deployment under test. By default every test file starts a standalone of its own. To run the same suite against a
 * deployment that is already up, set
 *   MILLRACE_TARGET_URL             its gateway, as http://host:port
 *   MILLRACE_TARGET_GRPC            its public gRPC, as host:port
 *   MILLRACE_TARGET_ADMIN_EMAIL, MILLRACE_TARGET_ADMIN_PASSWORD
 *   MILLRACE_TARGET_SINK_HOST       this machine as the deployment sees it (127.0.0.1); its egress guard must let it pass
 *   MILLRACE_TARGET_SINK_PORT       where on this machine, if the guard lets one port pass: files then run one by one
 *   MILLRACE_TARGET_SMTP_PORT       where on this machine it sends its mail
 *   MILLRACE_TARGET_OTLP_PORT       where on this machine it sends its spans
 *   MILLRACE_TARGET_MAILPIT_URL     where its mail can be read; without it mail is not looked at
 */
export interface Target {
  url: string
  grpcAddress: string
  admin: { email: string; password: string }
  /** Answers for the outside world; `url` is its address as the deployment sees it. */
  sink: HttpSink
  mail: Mailbox
  /** Present when the deployment may be killed and looked into. */
  standalone: Standalone | undefined
  close(): Promise<void>
}

export const targetIsOwn = process.env.MILLRACE_TARGET_URL === undefined
export const mailIsReadable =
  targetIsOwn || Boolean(process.env.MILLRACE_TARGET_MAILPIT_URL ?? process.env.MILLRACE_TARGET_SMTP_PORT)

export function startTarget(env: Record<string, string> = {}): Promise<Target> {
  return targetIsOwn ? startStandalone(env) : joinRunning(process.env)
}

/** One of its own, whatever the deployment under test is. */
export async function startStandalone(env: Record<string, string> = {}): Promise<Target> {
  const [sink, mail] = await Promise.all([httpSink(), ownMailbox()])
  const admin = { email: 'admin@millrace.local', password: 'a-password-for-tests-only' }
  const standalone = await Standalone.make({
    ...mail.env,
    MILLRACE_EGRESS_ALLOW: `127.0.0.1:${sink.port}`,
    MILLRACE_WEBHOOK_RETRY_SCHEDULE: '200ms,500ms,1s,1s,2s,2s,5s,5s',
    MILLRACE_ADMIN_EMAIL: admin.email,
    MILLRACE_ADMIN_PASSWORD: admin.password,
    ...env,
  })
  const close = async () => {
    await standalone.remove()
    await Promise.all([sink.close(), mail.close()])
  }
  try {
    await standalone.start()
  } catch (error) {
    await close()
    throw error
  }
  return {
    url: `http://127.0.0.1:${standalone.port}`,
    grpcAddress: `127.0.0.1:${standalone.grpcPort}`,
    admin,
    sink,
    mail,
    standalone,
    close,
  }
}

async function joinRunning(env: NodeJS.ProcessEnv): Promise<Target> {
  const host = env.MILLRACE_TARGET_SINK_HOST ?? '127.0.0.1'
  const port = Number(env.MILLRACE_TARGET_SINK_PORT ?? 0)
  const sink = await httpSink({ host: host === '127.0.0.1' ? host : '0.0.0.0', port })
  const mail = env.MILLRACE_TARGET_MAILPIT_URL
    ? mailpit(env.MILLRACE_TARGET_MAILPIT_URL)
    : await ownMailbox(Number(env.MILLRACE_TARGET_SMTP_PORT ?? 0))
  return {
    url: (env.MILLRACE_TARGET_URL ?? '').replace(/\/$/, ''),
    grpcAddress: env.MILLRACE_TARGET_GRPC ?? '127.0.0.1:7070',
    admin: {
      email: env.MILLRACE_TARGET_ADMIN_EMAIL ?? 'admin@millrace.local',
      password: env.MILLRACE_TARGET_ADMIN_PASSWORD ?? '',
    },
    sink: { ...sink, url: `http://${host}:${sink.port}` },
    mail,
    standalone: undefined,
    async close() {
      await Promise.all([sink.close(), mail.close()])
    },
  }
}
