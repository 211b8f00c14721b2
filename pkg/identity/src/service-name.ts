/** Every process that shows another one who it is. The gateway is none of them: what it passes on, iam has signed. */
export const serviceNames = ['iam', 'workflow', 'scheduler', 'worker', 'metadata', 'notification', 'artifact'] as const
export type ServiceName = (typeof serviceNames)[number]

export const isServiceName = (value: unknown): value is ServiceName => serviceNames.some((name) => name === value)
