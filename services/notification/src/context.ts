import { createEgress, type Egress } from '@millrace/egress'
import { createEventBus, type EventBus, RefusalLog } from '@millrace/events'
import { createIamClient, type IamClient } from '@millrace/iam-client'
import type { IdentityVerifier } from '@millrace/identity'
import { createLogger, type Logger } from '@millrace/logger'
import { createMailer, type Mailer } from '@millrace/mailer'
import { createPool, type Pool } from '@millrace/postgres'
import { Owned } from '@millrace/service-runner'
import { type DeliveryConfig, defaultDelivery, type NotificationConfig } from './config.js'
import { DeliveryLoop } from './delivery/delivery-loop.js'
import { createSender, type Send } from './delivery/send.js'
import { createSecretBox, type SecretBox } from './domain/secret-box.js'

/** What may be handed in; what is not is made from the configuration and closed with the service. */
export interface NotificationDeps {
  logger: Logger
  pool: Pool
  bus: EventBus
  egress: Egress
  mailer: Mailer
  verifier: IdentityVerifier
  useMails: IamClient['useMails']
}

export interface AppContext extends NotificationDeps {
  config: NotificationConfig
  delivery: DeliveryConfig
  box: SecretBox
  send: Send
  loop: DeliveryLoop
  refusals: RefusalLog
  /** Closes what this context made itself. */
  close(): Promise<void>
}

export function createContext(config: NotificationConfig, overrides: Partial<NotificationDeps>): AppContext {
  const owned = new Owned()
  const logger = overrides.logger ?? createLogger({ service: 'notification', level: config.logLevel })
  const pool = overrides.pool ?? owned.add(makePool(config, logger), (made) => made.end())
  const bus =
    overrides.bus ??
    owned.add(
      createEventBus(config.events, { connectionString: config.databaseUrl, service: 'notification', logger }),
      (made) => made.close(),
    )
  const egress =
    overrides.egress ??
    owned.add(createEgress(config.egress ?? { allowPrivate: false, allow: [] }), (made) => made.close())
  const mailer = overrides.mailer ?? createMailer(config.mail ?? {})
  const { verifier, useMails } = { ...makeIam(config, logger, owned), ...overrides }
  const delivery = { ...defaultDelivery, ...config.delivery }
  const box = createSecretBox(config.secretKey, config.previousSecretKey)
  const send = createSender({ egress, mailer, box, timeoutMs: delivery.timeoutMs, useMails })
  const loop = new DeliveryLoop({ pool, logger, send, config: delivery, onRecorded: () => bus.hint() })
  const refusals = new RefusalLog({ pool, source: 'notification', logger, hint: () => bus.hint() })
  owned.add(refusals, (made) => made.stop())
  const close = () => owned.close()
  return { config, logger, pool, bus, egress, mailer, verifier, useMails, delivery, box, send, loop, refusals, close }
}

function makePool(config: NotificationConfig, logger: Logger): Pool {
  return createPool({
    connectionString: config.databaseUrl,
    schema: 'notification',
    max: 8,
    onError: (error) => logger.warn({ err: error }, 'a database connection was lost'),
  })
}

function makeIam({ iamGrpc, identity }: NotificationConfig, logger: Logger, owned: Owned): IamClient {
  return owned.add(createIamClient({ address: iamGrpc, identity, logger }), (made) => made.close())
}
