/** What differs between a branch under development and production. Counts of CPU are Fargate's units: 1024 is one. */
export interface Share {
  cpu: number
  memoryMiB: number
  least: number
  most: number
}

export interface Size {
  natGateways: number
  zones: number
  /** Kept after the stack is deleted, and protected from that. */
  keepsData: boolean
  backupDays: number
  postgres: { instance: string; multiAz: boolean; storageGiB: number; maxStorageGiB: number }
  kafka: { instance: string; brokers: number; storageGiB: number }
  documents: { instance: string; instances: number }
  shares: Record<ServiceName | 'envoy', Share>
}

export const serviceNames = ['iam', 'workflow', 'scheduler', 'worker', 'metadata', 'notification', 'artifact'] as const
export type ServiceName = (typeof serviceNames)[number]

const share = (cpu: number, memoryMiB: number, least: number, most: number): Share => ({ cpu, memoryMiB, least, most })

/** Memory is what the chart's limits are (measured there), rounded up to what Fargate offers. */
export const sizes: Record<'dev' | 'prod', Size> = {
  dev: {
    natGateways: 1,
    zones: 2,
    keepsData: false,
    backupDays: 7,
    postgres: { instance: 't4g.medium', multiAz: false, storageGiB: 20, maxStorageGiB: 100 },
    kafka: { instance: 'kafka.t3.small', brokers: 2, storageGiB: 20 },
    documents: { instance: 't4g.medium', instances: 1 },
    shares: {
      iam: share(256, 512, 1, 2),
      workflow: share(256, 512, 1, 2),
      scheduler: share(512, 1024, 1, 2),
      worker: share(256, 1024, 1, 5),
      metadata: share(256, 1024, 1, 2),
      notification: share(256, 512, 1, 2),
      artifact: share(256, 512, 1, 2),
      envoy: share(256, 512, 1, 2),
    },
  },
  prod: {
    natGateways: 3,
    zones: 3,
    keepsData: true,
    backupDays: 35,
    postgres: { instance: 'm7g.xlarge', multiAz: true, storageGiB: 200, maxStorageGiB: 2000 },
    kafka: { instance: 'kafka.m7g.large', brokers: 3, storageGiB: 200 },
    documents: { instance: 'r6g.large', instances: 3 },
    shares: {
      iam: share(512, 1024, 2, 6),
      workflow: share(512, 1024, 2, 6),
      scheduler: share(1024, 2048, 2, 3),
      worker: share(512, 1024, 2, 20),
      metadata: share(512, 1024, 2, 6),
      notification: share(256, 512, 2, 4),
      artifact: share(256, 512, 2, 4),
      envoy: share(512, 1024, 2, 6),
    },
  },
}
