// Original file: proto/events/v1/events.proto


/**
 * Topic notification.delivered.
 */
export interface NotificationDelivered {
  'notificationId'?: (string);
  'subscriptionId'?: (string);
  'projectId'?: (string);
  'runId'?: (string);
}

/**
 * Topic notification.delivered.
 */
export interface NotificationDelivered__Output {
  'notificationId': (string);
  'subscriptionId': (string);
  'projectId': (string);
  'runId': (string);
}
