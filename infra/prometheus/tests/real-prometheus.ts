import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort, waitFor } from '@millrace/testkit'
import { rulesFolder } from './queries.js'

export interface ScrapeConfig {
  job_name: string
  static_configs: { targets: string[] }[]
}

interface Series {
  seriesLabels: Record<string, string>
  exemplars: { labels: Record<string, string> }[]
}

/** Debian's Prometheus on loopback, with the rules of this folder. */
export class RealPrometheus {
  private readonly folder = mkdtempSync(join(tmpdir(), 'millrace-prometheus-'))
  private process: ReturnType<typeof spawn> | undefined
  private url = ''

  async start(scrapeConfigs: readonly ScrapeConfig[]): Promise<void> {
    if (spawnSync('prometheus', ['--version']).error)
      throw new Error('Prometheus is missing: apt-get install prometheus')
    const port = await freePort()
    this.url = `http://127.0.0.1:${port}`
    const config = {
      global: { scrape_interval: '1s', evaluation_interval: '1s' },
      rule_files: [join(rulesFolder, '*.yml')],
      scrape_configs: scrapeConfigs,
    }
    writeFileSync(join(this.folder, 'prometheus.yml'), JSON.stringify(config))
    const args = [
      `--config.file=${this.folder}/prometheus.yml`,
      `--storage.tsdb.path=${this.folder}/data`,
      `--web.listen-address=127.0.0.1:${port}`,
      // As compose.yml sets it.
      '--enable-feature=exemplar-storage',
    ]
    this.process = spawn('prometheus', args, { stdio: 'ignore' })
    await waitFor(() => fetch(`${this.url}/-/ready`).then((r) => r.ok), { timeoutMs: 60_000, what: 'Prometheus' })
  }

  async stop(): Promise<void> {
    if (this.process) {
      const gone = once(this.process, 'exit')
      this.process.kill('SIGTERM')
      await gone
    }
    rmSync(this.folder, { recursive: true, force: true })
  }

  async get<T>(path: string, params: Record<string, string> = {}): Promise<T> {
    const answer = await fetch(`${this.url}/api/v1/${path}?${new URLSearchParams(params)}`, {
      signal: AbortSignal.timeout(30_000),
    })
    const { data, error } = (await answer.json()) as { data: T; error?: string }
    if (error) throw new Error(`${JSON.stringify(params)}: ${error}`)
    return data
  }

  async hasSeries(query: string): Promise<boolean> {
    return (await this.get<{ result: unknown[] }>('query', { query })).result.length > 0
  }

  /** The labels of each series that has an exemplar of this trace, as Grafana asks for it. */
  async seriesOfTrace(metric: string, traceId: string): Promise<Record<string, string>[]> {
    const now = Date.now() / 1000
    const params = { query: metric, start: String(now - 600), end: String(now + 60) }
    const found = await this.get<Series[]>('query_exemplars', params)
    return found
      .filter(({ exemplars }) => exemplars.some(({ labels }) => labels.trace_id === traceId))
      .map(({ seriesLabels }) => seriesLabels)
  }
}
