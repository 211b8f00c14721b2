export interface Startable {
  start(): Promise<void>
  stop(): Promise<void>
}

/** Starts all at once; when one fails, those that did start are stopped before the failure is passed on. */
export async function startAll(services: Startable[]): Promise<void> {
  const results = await Promise.allSettled(services.map((service) => service.start()))
  const failure = results.find((result) => result.status === 'rejected')
  if (!failure) return
  const started = services.filter((_, i) => results[i]?.status === 'fulfilled')
  await Promise.allSettled(started.map((service) => service.stop()))
  throw failure.reason
}

/** Stops all at once, each whatever happens to the others. */
export async function stopAll(services: Startable[]): Promise<void> {
  const results = await Promise.allSettled(services.map((service) => service.stop()))
  const failure = results.find((result) => result.status === 'rejected')
  if (failure) throw failure.reason
}
