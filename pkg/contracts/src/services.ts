import type { AuthorizationDefinition, AuthorizationHandlers } from './gen/envoy/service/auth/v3/Authorization.js'
import type { IamServiceDefinition, IamServiceHandlers } from './gen/millrace/iam/v1/IamService.js'
import type { LogServiceDefinition, LogServiceHandlers } from './gen/millrace/metadata/v1/LogService.js'
import type { ControlServiceDefinition, ControlServiceHandlers } from './gen/millrace/scheduler/v1/ControlService.js'
import type { DispatchServiceDefinition, DispatchServiceHandlers } from './gen/millrace/scheduler/v1/DispatchService.js'
import type {
  SchedulerInternalServiceDefinition,
  SchedulerInternalServiceHandlers,
} from './gen/millrace/scheduler/v1/SchedulerInternalService.js'
import type {
  SchedulerServiceDefinition,
  SchedulerServiceHandlers,
} from './gen/millrace/scheduler/v1/SchedulerService.js'
import type { ScheduleServiceDefinition, ScheduleServiceHandlers } from './gen/millrace/scheduler/v1/ScheduleService.js'
import type { WorkerServiceDefinition, WorkerServiceHandlers } from './gen/millrace/worker/v1/WorkerService.js'
import type { WorkflowServiceDefinition, WorkflowServiceHandlers } from './gen/millrace/workflow/v1/WorkflowService.js'
import { loadPackage } from './load.js'
import { serviceContract } from './service-contract.js'

const iam = loadPackage('iam/v1/iam.proto')
const envoy = loadPackage('envoy/service/auth/v3/external_auth.proto')
const workflow = loadPackage('workflow/v1/workflow.proto')
const scheduler = loadPackage('scheduler/v1/scheduler.proto', 'scheduler/v1/dispatch.proto')
const schedule = loadPackage('scheduler/v1/schedule.proto')
const control = loadPackage('scheduler/v1/control.proto')
const worker = loadPackage('worker/v1/worker.proto')
const metadata = loadPackage('metadata/v1/log.proto')

export const iamServiceDefinition = serviceContract<IamServiceDefinition, IamServiceHandlers>(
  iam,
  'millrace.iam.v1.IamService',
)
export const authorizationDefinition = serviceContract<AuthorizationDefinition, AuthorizationHandlers>(
  envoy,
  'envoy.service.auth.v3.Authorization',
)
export const workflowServiceDefinition = serviceContract<WorkflowServiceDefinition, WorkflowServiceHandlers>(
  workflow,
  'millrace.workflow.v1.WorkflowService',
)
export const schedulerServiceDefinition = serviceContract<SchedulerServiceDefinition, SchedulerServiceHandlers>(
  scheduler,
  'millrace.scheduler.v1.SchedulerService',
)
export const schedulerInternalDefinition = serviceContract<
  SchedulerInternalServiceDefinition,
  SchedulerInternalServiceHandlers
>(scheduler, 'millrace.scheduler.v1.SchedulerInternalService')
export const scheduleServiceDefinition = serviceContract<ScheduleServiceDefinition, ScheduleServiceHandlers>(
  schedule,
  'millrace.scheduler.v1.ScheduleService',
)
export const controlServiceDefinition = serviceContract<ControlServiceDefinition, ControlServiceHandlers>(
  control,
  'millrace.scheduler.v1.ControlService',
)
export const dispatchDefinition = serviceContract<DispatchServiceDefinition, DispatchServiceHandlers>(
  scheduler,
  'millrace.scheduler.v1.DispatchService',
)
export const workerServiceDefinition = serviceContract<WorkerServiceDefinition, WorkerServiceHandlers>(
  worker,
  'millrace.worker.v1.WorkerService',
)
export const logServiceDefinition = serviceContract<LogServiceDefinition, LogServiceHandlers>(
  metadata,
  'millrace.metadata.v1.LogService',
)
