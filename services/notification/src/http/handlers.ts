import type { RouteHandler } from '@millrace/http'
import type { AppContext } from '../context.js'
import { createSubscription } from './create-subscription.js'
import { deleteSubscription } from './delete-subscription.js'
import { getNotification } from './get-notification.js'
import { getSubscription } from './get-subscription.js'
import { getSubscriptionStatistics } from './get-subscription-statistics.js'
import { listNotifications } from './list-notifications.js'
import { listSubscriptionsRoute } from './list-subscriptions.js'
import { redeliverNotification } from './redeliver-notification.js'
import { rotateSecret } from './rotate-secret.js'
import { testSubscription } from './test-subscription.js'
import { updateSubscriptionRoute } from './update-subscription.js'

/** By the operation ids of the route table. */
export function handlersOf(ctx: AppContext): Record<string, RouteHandler> {
  return {
    createSubscription: createSubscription(ctx),
    listSubscriptions: listSubscriptionsRoute(ctx),
    getSubscription: getSubscription(ctx),
    getSubscriptionStatistics: getSubscriptionStatistics(ctx),
    updateSubscription: updateSubscriptionRoute(ctx),
    deleteSubscription: deleteSubscription(ctx),
    testSubscription: testSubscription(ctx),
    rotateSubscriptionSecret: rotateSecret(ctx),
    listNotifications: listNotifications(ctx),
    getNotification: getNotification(ctx),
    redeliverNotification: redeliverNotification(ctx),
  }
}
