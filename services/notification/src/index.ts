export {
  type DeliveryConfig,
  type NotificationConfig,
  parseRetrySchedule,
  readNotificationConfig,
} from './config.js'
export type { NotificationDeps } from './context.js'
export { createNotificationService, type NotificationService } from './server.js'
