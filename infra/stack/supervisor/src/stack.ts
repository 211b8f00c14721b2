import { randomBytes } from 'node:crypto'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { generateServiceKeySet } from '@millrace/identity'
import { createLogger } from '@millrace/logger'
import {
  drainEnvoy,
  envoySpec,
  ferretSpec,
  kafkaSpec,
  makeMinioAccount,
  minioSpec,
  type ServerSpec,
} from '@millrace/stack-servers'
import {
  awaitGateway,
  checkPublicPorts,
  type Database,
  forgetFirstAdmin,
  gatewayUrl,
  type InstanceLock,
  leaveFirstAdmin,
  loadSecrets,
  lockInstance,
  openDatabase,
  openServiceDatabases,
  pickRuntime,
  placeOf,
  prepareDataDir,
  readFirstAdmin,
  StartupError,
  type Terminal,
} from '@millrace/standalone-service'
import { keepCertificates } from '../../../tooling/service-certificates.mjs'
import type { StackConfig } from './config.js'
import { type EnvoyFile, writeEnvoyFile } from './envoy-file.js'
import { keepTlsSecret } from './envoy-tls.js'
import { kafkaOptions, prepareBroker } from './kafka-accounts.js'
import { ManagedServer } from './managed-server.js'
import { endOrphanedProcesses } from './orphaned-processes.js'
import { pickStackPorts, type StackPorts } from './ports.js'
import { type ServiceSettings, serviceSpecs } from './service-specs.js'
import { formatEntry, removeStatus, type StatusEntry, writeStatus } from './status-file.js'
import { storeAccounts } from './store-accounts.js'
import { adoptKey, importRest, restoreDump } from './take-over.js'

const readyTimeoutMs = 120_000

/** Owns every process of a stack: what it started it also ends, in whatever state it was left. */
export class Stack {
  private lock: InstanceLock | undefined
  private database: Database | undefined
  private envoy: { server: ManagedServer; file: EnvoyFile } | undefined
  /** In the order of their start, group by group; they stop in the opposite order. */
  private readonly groups: ManagedServer[][] = []
  private unwatchTls: (() => void) | undefined
  private dataDir = ''
  private ready = false
  private starting: Promise<void> | undefined
  private stopping: Promise<void> | undefined
  private readonly stopped = new AbortController()
  private reportFailure: (why: string) => void = () => undefined
  /** Settles when something broke that restarting could not mend. */
  readonly failed = new Promise<string>((resolve) => {
    this.reportFailure = resolve
  })

  constructor(
    private readonly config: StackConfig,
    private readonly terminal: Terminal,
  ) {}

  start(): Promise<void> {
    this.starting ??= this.startInOrder()
    return this.starting
  }

  /** Takes over what a standalone exported. Only the servers run meanwhile: no service sees half of it. */
  async import(folder: string): Promise<void> {
    await this.openDataDir()
    adoptKey(this.dataDir, folder)
    // The accounts come along, and the first administrator with them.
    writeFileSync(this.adminMade, '', { mode: 0o600 })
    const ports = await pickStackPorts(this.config.workers)
    const settings = await this.startServers(ports, (databaseUrl) => restoreDump(databaseUrl, folder))
    await importRest(settings, this.database?.url ?? '', folder)
    this.ready = true
  }

  private async openDataDir(): Promise<void> {
    this.dataDir = prepareDataDir(this.config.dataDir)
    this.lock = await lockInstance(this.dataDir, `started ${new Date().toISOString()}, port ${this.config.port}`)
    await endOrphanedProcesses(this.dataDir)
    removeStatus(this.dataDir)
  }

  private async startInOrder(): Promise<void> {
    const { config, terminal } = this
    await this.openDataDir()
    await checkPublicPorts(
      [
        { setting: 'MILLRACE_PORT', host: config.host, port: config.port },
        { setting: 'MILLRACE_GRPC_PORT', host: config.host, port: config.grpcPort },
      ],
      500,
    )
    terminal.line(`  data          ${this.dataDir}`)
    const ports = await pickStackPorts(config.workers)
    const settings = await this.startServers(ports)
    for (const group of serviceSpecs(settings)) await this.startGroup(group)
    await this.startEnvoy(ports)
    await awaitGateway(placeOf(config), this.stopped.signal, readyTimeoutMs)
    this.ready = true
    this.save()
    this.introduceAdmin()
    terminal.line(`The stack is ready at ${gatewayUrl(placeOf(config))}`)
  }

  /** Gateway first, servers last; each step is bounded, and what does not end in time is killed. */
  stop(): Promise<void> {
    this.stopped.abort(new StartupError('Stopped while starting.'))
    this.stopping ??= this.stopInOrder()
    return this.stopping
  }

  async kill(): Promise<void> {
    await Promise.all(this.all().map((server) => server.kill()))
    await this.database?.stop()
  }

  private async stopInOrder(): Promise<void> {
    if (!this.ready) {
      await Promise.all(this.all().map((server) => server.kill()))
      await this.starting?.catch(() => undefined)
    }
    await this.drainGateway()
    this.unwatchTls?.()
    await this.envoy?.server.stop()
    for (const group of this.groups.toReversed()) await Promise.all(group.map((server) => server.stop()))
    await this.database?.stop()
    if (this.dataDir !== '') removeStatus(this.dataDir)
    this.lock?.release()
  }

  private async drainGateway(): Promise<void> {
    if (this.envoy === undefined || !this.ready) return
    await drainEnvoy(this.envoy.file.adminSocket).catch(() => undefined)
    await sleep(500)
  }

  /** What the services stand on. Programs that are not in the cache yet are fetched and built first. */
  private async startServers(
    ports: StackPorts,
    fill?: (databaseUrl: string) => Promise<void>,
  ): Promise<ServiceSettings> {
    const { config, dataDir } = this
    const secrets = loadSecrets(dataDir)
    const { minio, s3, mongo } = storeAccounts(dataDir, ports, secrets.serviceSecret)
    const kafka = kafkaOptions(dataDir, ports, secrets.serviceSecret)
    const slow = setTimeout(
      () => this.terminal.line('  Fetching and building servers; the first time takes minutes.'),
      3_000,
    )
    const specs = await Promise.all([
      minioSpec(minio),
      ferretSpec({ directory: join(dataDir, 'ferretdb'), port: ports.ferretdb, account: mongo }),
      kafkaSpec(kafka),
    ]).finally(() => clearTimeout(slow))
    this.stopped.signal.throwIfAborted()
    this.database = await openDatabase({ ...config, dataDir, onRestart: () => this.onDatabaseDown() })
    this.database.onLost((why) => this.reportFailure(`The database is gone: ${why}`))
    this.terminal.line(`  ${'postgres'.padEnd(14)}${'up'.padEnd(10)}${this.database.description}`)
    await fill?.(this.database.url)
    await this.startGroup(specs)
    await Promise.all([prepareBroker(kafka), makeMinioAccount(minio, s3)])
    const adminPassword = this.chooseAdminPassword()
    const keys = { masterKey: config.masterKey ?? secrets.masterKey, services: generateServiceKeySet() }
    const { urls: databaseUrls } = await openServiceDatabases(this.database.url, keys.masterKey)
    const kafkaPasswords = kafka.accounts.users
    const tlsDir = this.tlsDir
    if (tlsDir !== undefined) keepCertificates(tlsDir)
    const { execPath, description } = pickRuntime(config.node)
    this.terminal.line(`  runtime       ${description}`)
    return { execPath, config, dataDir, tlsDir, keys, adminPassword, databaseUrls, ports, s3, mongo, kafkaPasswords }
  }

  private async startGroup(specs: ServerSpec[]): Promise<void> {
    this.stopped.signal.throwIfAborted()
    const group = specs.map((spec) => this.manage(spec))
    this.groups.push(group)
    await this.startAll(group)
  }

  private async startAll(group: ManagedServer[]): Promise<void> {
    try {
      await Promise.all(group.map((server) => server.start()))
    } catch (error) {
      this.stopped.signal.throwIfAborted()
      throw new StartupError((error as Error).message, { cause: error })
    }
  }

  private async startEnvoy(ports: StackPorts): Promise<void> {
    const tls = { edge: this.keepTlsSecret(), services: this.tlsDir }
    const file = writeEnvoyFile(this.dataDir, this.config, ports, tls)
    if (file.warning !== undefined) this.terminal.error(`Warning: ${file.warning}.`)
    const server = this.manage(await envoySpec({ configFile: file.path, port: this.config.port }))
    this.envoy = { server, file }
    await this.startAll([server])
  }

  private keepTlsSecret(): string | undefined {
    const { tlsCert: cert, tlsKey: key } = this.config
    if (cert === undefined || key === undefined) return undefined
    const path = join(this.dataDir, 'envoy-tls.json')
    this.unwatchTls = keepTlsSecret({ cert, key }, path, createLogger({ service: 'stack', level: 'info' }))
    return path
  }

  private manage(spec: ServerSpec): ManagedServer {
    const logFile = join(this.dataDir, 'logs', `${spec.name}.log`)
    const holdFile = join(this.dataDir, 'hold', spec.name)
    return new ManagedServer(spec, {
      ...{ logFile, holdFile, hangMs: this.config.hangMs },
      onChange: (server, why) => this.onChange(server, why),
      onHang: ({ name, hangs }, silentMs) =>
        this.terminal.error(
          `${name} gives no answer for ${silentMs} ms: its process is ended (${hangs} times so far).`,
        ),
    })
  }

  private onChange(server: ManagedServer, why: string): void {
    this.save()
    if (server.state === 'down') this.terminal.error(`${server.name} stopped (${why}); starting it again.`)
    if (server.state === 'held') this.terminal.line(`${server.name} stays down ${why}.`)
    if (server.state === 'up') this.terminal.line(why === '' ? formatEntry(entryOf(server)) : `${server.name} is back.`)
  }

  private save(): void {
    if (this.database === undefined || this.stopping !== undefined) return
    writeStatus(this.dataDir, {
      pid: process.pid,
      url: gatewayUrl(placeOf(this.config)),
      ready: this.ready,
      databaseUrl: this.database.url,
      entries: this.all().map(entryOf),
    })
  }

  private all(): ManagedServer[] {
    return [...this.groups.flat(), ...(this.envoy === undefined ? [] : [this.envoy.server])]
  }

  private onDatabaseDown(): void {
    this.terminal.error('PostgreSQL stopped; starting it again.')
  }

  /**
   * Left in a private file before iam makes the account, shown once everything runs, then removed: a crash at any point
   * between loses no password.
   */
  private chooseAdminPassword(): string | undefined {
    const { adminEmail: email, adminPassword } = this.config
    if (adminPassword !== undefined || existsSync(this.adminMade)) return adminPassword
    const generatedPassword = readFirstAdmin(this.dataDir)?.generatedPassword ?? randomBytes(18).toString('base64url')
    leaveFirstAdmin(this.dataDir, { email, generatedPassword })
    return generatedPassword
  }

  private introduceAdmin(): void {
    const admin = readFirstAdmin(this.dataDir)
    if (admin) {
      this.terminal.line(`  admin         ${admin.email}`)
      this.terminal.line(`  password      ${admin.generatedPassword}`)
      this.terminal.line('                shown this once; change it after the first login')
    }
    writeFileSync(this.adminMade, '', { mode: 0o600 })
    forgetFirstAdmin(this.dataDir)
  }

  /** A folder for each service and the gateway, where they speak TLS. */
  private get tlsDir(): string | undefined {
    return this.config.tlsServices ? join(this.dataDir, 'tls') : undefined
  }

  private get adminMade(): string {
    return join(this.dataDir, 'admin-made')
  }
}

function entryOf(server: ManagedServer): StatusEntry {
  const { name, state, pid, restarts, since, spec, options } = server
  return { name, state, pid, address: spec.address, restarts, since: since.toISOString(), log: options.logFile }
}
