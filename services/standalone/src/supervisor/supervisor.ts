import { join } from 'node:path'
import type { StandaloneConfig } from '../config.js'
import { internalPortCount, nameInternalPorts } from '../settings.js'
import { ChildLog } from './child-log.js'
import { type ChildKind, type ChildrenSettings, childrenSettings, servicesOf } from './children-settings.js'
import { prepareDataDir } from './data-dir.js'
import { type Database, openDatabase } from './database.js'
import { openServiceDatabases } from './database-roles.js'
import { forgetFirstAdmin, readFirstAdmin } from './first-admin.js'
import { awaitGateway, gatewayUrl, placeOf } from './gateway-probe.js'
import { type InstanceLock, lockInstance } from './instance-lock.js'
import { ManagedChild } from './managed-child.js'
import { type MetricsServer, serveMetrics } from './metrics-server.js'
import { ProcessRecord } from './orphaned-processes.js'
import { checkPublicPorts, pickInternalPorts } from './ports.js'
import { pickRuntime, type Runtime } from './runtime.js'
import { loadSecrets } from './secrets.js'
import { StartupError } from './startup-error.js'
import type { Terminal } from './terminal.js'

const gatewayDrainMs = 3_000
const workerDrainMs = 4_000
const serviceStopMs = 4_000

/** Owns every process of a standalone Millrace: what it started it also ends, in whatever state it was left. */
export class Supervisor {
  private lock: InstanceLock | undefined
  private record: ProcessRecord | undefined
  private database: Database | undefined
  private edge: ManagedChild | undefined
  private core: ManagedChild | undefined
  private records: ManagedChild | undefined
  private workers: ManagedChild[] = []
  private metrics: MetricsServer | undefined
  private starting: Promise<void> | undefined
  private started = false
  private stopping: Promise<void> | undefined
  private readonly stopped = new AbortController()
  private reportFailure: (why: string) => void = () => undefined
  /** Settles when something broke that restarting could not mend. */
  readonly failed = new Promise<string>((resolve) => {
    this.reportFailure = resolve
  })

  constructor(
    private readonly config: StandaloneConfig,
    private readonly terminal: Terminal,
  ) {}

  start(): Promise<void> {
    this.starting ??= this.startInOrder()
    return this.starting
  }

  private async startInOrder(): Promise<void> {
    const { config, terminal } = this
    const dataDir = prepareDataDir(config.dataDir)
    this.lock = await lockInstance(dataDir, `started ${new Date().toISOString()}, port ${config.port}`)
    this.record = new ProcessRecord(dataDir)
    await this.record.endOrphanedProcesses()
    await this.checkPorts()
    const secrets = loadSecrets(dataDir)
    const ports = nameInternalPorts(await pickInternalPorts(internalPortCount))
    this.stopped.signal.throwIfAborted()
    const runtime = pickRuntime(config.node)
    this.forkChildren(dataDir, runtime)
    this.database = await openDatabase({ ...config, dataDir, onRestart: () => this.onDatabaseDown() })
    this.stopped.signal.throwIfAborted()
    this.database.onLost((why) => this.reportFailure(`The database is gone: ${why}`))
    terminal.line(`  runtime   ${runtime.description}`)
    terminal.line(`  data      ${dataDir}`)
    terminal.line(`  database  ${this.database.description}`)
    const masterKey = config.masterKey ?? secrets.masterKey
    const { urls: databaseUrls, separate } = await openServiceDatabases(this.database.url, masterKey)
    if (!separate) terminal.line('            one account for all services: it may not create roles')
    await this.startChildren(childrenSettings({ config: { ...config, dataDir }, masterKey, databaseUrls, ports }))
    this.metrics = await serveMetrics(config.metricsPort, () => this.children())
    await awaitGateway(placeOf(config), this.stopped.signal)
    this.started = true
    this.introduceAdmin(dataDir)
    terminal.line(`  metrics   ${this.metrics.url}`)
    terminal.line(`Millrace is ready at ${gatewayUrl(placeOf(config))}`)
    forgetFirstAdmin(dataDir)
  }

  /** Gateway first, database last; each step is bounded, and what does not end in time is killed. */
  stop(): Promise<void> {
    this.stopped.abort(new StartupError('Stopped while starting.'))
    this.stopping ??= this.stopInOrder()
    return this.stopping
  }

  /** Without waiting for anybody's work. */
  async kill(): Promise<void> {
    await this.killChildren()
    await this.database?.stop()
  }

  private async killChildren(): Promise<void> {
    await Promise.all(this.children().map((child) => child.kill()))
  }

  private async stopInOrder(): Promise<void> {
    await this.abandonStart()
    await this.edge?.drain(gatewayDrainMs)
    await Promise.all(this.workers.map((worker) => worker.stop(workerDrainMs)))
    await Promise.all([this.core, this.records, this.edge].map((child) => child?.stop(serviceStopMs)))
    await this.metrics?.stop()
    await this.database?.stop()
    this.record?.remove()
    this.lock?.release()
  }

  /** A start still under way ends at its next step; only then is it known what there is to stop. */
  private async abandonStart(): Promise<void> {
    if (this.started) return
    await this.killChildren()
    await this.starting?.catch(() => undefined)
  }

  private async checkPorts(): Promise<void> {
    const { host, port, grpcPort, metricsPort } = this.config
    const wanted = [
      { setting: 'MILLRACE_PORT', host, port },
      { setting: 'MILLRACE_GRPC_PORT', host, port: grpcPort },
      ...(metricsPort === undefined
        ? []
        : [{ setting: 'MILLRACE_METRICS_PORT', host: '127.0.0.1', port: metricsPort }]),
    ]
    await checkPublicPorts(wanted, 500)
  }

  /** Children load their code while the database starts; they wait for their settings. */
  private forkChildren(dataDir: string, { execPath }: Runtime): void {
    const fork = (name: string, kind: ChildKind) => this.fork(name, kind, { dataDir, execPath })
    this.edge = fork('edge', 'edge')
    this.core = fork('core', 'core')
    this.records = fork('records', 'records')
    for (let i = 1; i <= this.config.workers; i++) this.workers.push(fork(`worker-${i}`, 'worker'))
    this.writeRecord()
  }

  private fork(name: string, kind: ChildKind, where: { dataDir: string; execPath: string }): ManagedChild {
    const log = new ChildLog(name, join(where.dataDir, 'logs', `${name}.log`), this.terminal)
    const path = join(import.meta.dirname, '..', `${kind}.js`)
    const { childCrashes: maxCrashes, hangMs } = this.config
    const options = {
      ...{ name, script: path, services: servicesOf[kind], ...where, maxCrashes, hangMs },
      onOutput: (chunk: Buffer) => log.write(chunk),
      onHang: (child: string, silentMs: number) =>
        this.terminal.error(`${child} gives no sign of life for ${silentMs} ms: its process is ended.`),
    }
    return new ManagedChild(options, {
      onCrash: (child, why, delayMs) =>
        this.terminal.error(`${child} stopped (${why}); starting it again in ${delayMs} ms. Log: ${log.path}`),
      onRestarted: (child) => this.terminal.line(`${child} is back.`),
      onCrashLoop: (child, why) => this.reportFailure(`${child} keeps stopping: ${why}. Its log is ${log.path}`),
      onPidChange: () => this.writeRecord(),
      onSessionLost: (sessionId) => this.core?.tell({ kind: 'worker-died', sessionId }),
    })
  }

  private async startChildren(settings: ChildrenSettings): Promise<void> {
    try {
      // In this order nobody asks a service that is not there yet: a scheduler with runs from before would at once.
      await this.edge?.start(settings.edge)
      await Promise.all([this.core?.start(settings.core), this.records?.start(settings.records)])
      await Promise.all(this.workers.map((worker, i) => worker.start({ ...settings.worker, index: i + 1 })))
    } catch (error) {
      this.stopped.signal.throwIfAborted()
      throw new StartupError((error as Error).message, { cause: error })
    }
  }

  private introduceAdmin(dataDir: string): void {
    const admin = readFirstAdmin(dataDir)
    if (!admin) return
    this.terminal.line(`  admin     ${admin.email}`)
    this.terminal.line(`  password  ${admin.generatedPassword ?? '(MILLRACE_ADMIN_PASSWORD)'}`)
    this.terminal.line('            shown this once; change it after the first login')
  }

  private onDatabaseDown(): void {
    this.terminal.error('PostgreSQL stopped; starting it again.')
  }

  private writeRecord(): void {
    const pids = this.children().map((child) => child.pid)
    this.record?.write(pids.filter((pid) => pid !== undefined))
  }

  private children(): ManagedChild[] {
    return [this.edge, this.core, this.records, ...this.workers].filter((child) => child !== undefined)
  }
}
