import { type schedules as proto, scheduleServiceDefinition } from '@millrace/contracts'
import { internal } from '@millrace/errors'
import { createGrpcClient } from '@millrace/grpc'
import type { ServiceIdentity } from '@millrace/identity'
import type { Logger } from '@millrace/logger'
import { asOutage } from './scheduler.js'

export type ProtoSchedule = proto.Schedule__Output

/** A range is walked tick by tick. */
const BACKFILL_TIMEOUT_MS = 30_000

/** The scheduler owns schedules; what it does not find is its `schedule_not_found`. */
export interface ScheduleGateway {
  create(request: proto.CreateScheduleRequest): Promise<ProtoSchedule>
  get(projectId: string, id: string): Promise<ProtoSchedule>
  list(request: proto.ListSchedulesRequest): Promise<ProtoSchedule[]>
  update(request: proto.UpdateScheduleRequest): Promise<ProtoSchedule>
  delete(request: proto.DeleteScheduleRequest): Promise<void>
  /** How many ticks the range has. */
  backfill(request: proto.BackfillScheduleRequest): Promise<number>
  /** What a backfill would cover. */
  preview(request: proto.PreviewBackfillRequest): Promise<proto.PreviewBackfillResponse__Output>
  next(projectId: string, id: string, count: number): Promise<string[]>
  count(projectId: string): Promise<number>
  close(): void
}

export function createScheduleGateway(address: string, identity: ServiceIdentity, logger: Logger): ScheduleGateway {
  const client = createGrpcClient(scheduleServiceDefinition, address, {
    ...identity.credentialsFor('scheduler'),
    logger,
  })
  return {
    create: async (request) => present(await ask(client.createSchedule(request))),
    get: async (projectId, id) => present(await ask(client.getSchedule({ projectId, id }))),
    list: async (request) => (await ask(client.listSchedules(request))).schedules,
    update: async (request) => present(await ask(client.updateSchedule(request))),
    async delete(request) {
      await ask(client.deleteSchedule(request))
    },
    async backfill(request) {
      const { ticks } = await ask(client.backfillSchedule(request, { timeoutMs: BACKFILL_TIMEOUT_MS }))
      return ticks
    },
    preview: (request) => ask(client.previewBackfill(request, { timeoutMs: BACKFILL_TIMEOUT_MS })),
    next: async (projectId, id, count) => (await ask(client.nextTicks({ projectId, id, count }))).ticks,
    count: async (projectId) => (await ask(client.countSchedules({ projectId }))).count,
    close: () => client.close(),
  }
}

async function ask<T>(call: Promise<T>): Promise<T> {
  try {
    return await call
  } catch (error) {
    throw asOutage(error)
  }
}

function present({ schedule }: { schedule: ProtoSchedule | null }): ProtoSchedule {
  if (schedule === null) throw internal('The scheduler answered without a schedule.')
  return schedule
}
