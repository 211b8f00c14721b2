// Original file: proto/events/v1/events.proto


/**
 * Topic notification.failed.
 */
export interface NotificationFailed {
  'notificationId'?: (string);
  'subscriptionId'?: (string);
  'projectId'?: (string);
  'runId'?: (string);
  'reason'?: (string);
}

/**
 * Topic notification.failed.
 */
export interface NotificationFailed__Output {
  'notificationId': (string);
  'subscriptionId': (string);
  'projectId': (string);
  'runId': (string);
  'reason': (string);
}
