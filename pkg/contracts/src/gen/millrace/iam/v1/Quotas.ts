// Original file: proto/iam/v1/iam.proto

import type { Long } from '@grpc/proto-loader';

/**
 * An absent number is no limit.
 */
export interface Quotas {
  'runsPerDay'?: (number | string | Long);
  'storageBytes'?: (number | string | Long);
  'streams'?: (number | string | Long);
  'schedules'?: (number | string | Long);
  'workflows'?: (number | string | Long);
  'mailsPerDay'?: (number | string | Long);
  /**
   * Raised by every change of the project's quotas.
   */
  'revision'?: (number | string | Long);
  '_runsPerDay'?: "runsPerDay";
  '_storageBytes'?: "storageBytes";
  '_streams'?: "streams";
  '_schedules'?: "schedules";
  '_workflows'?: "workflows";
  '_mailsPerDay'?: "mailsPerDay";
}

/**
 * An absent number is no limit.
 */
export interface Quotas__Output {
  'runsPerDay'?: (number);
  'storageBytes'?: (number);
  'streams'?: (number);
  'schedules'?: (number);
  'workflows'?: (number);
  'mailsPerDay'?: (number);
  /**
   * Raised by every change of the project's quotas.
   */
  'revision': (number);
  '_runsPerDay'?: "runsPerDay";
  '_storageBytes'?: "storageBytes";
  '_streams'?: "streams";
  '_schedules'?: "schedules";
  '_workflows'?: "workflows";
  '_mailsPerDay'?: "mailsPerDay";
}
