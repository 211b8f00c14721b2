import { notFound } from '@millrace/errors'
import type { NewRun } from '../../src/clients/workflow-client.js'
import type { Harness } from './harness.js'

/** Gives creation to child runs as the workflow service does: one for each dedupe key, under the id that was asked for. */
export class ChildRunService {
  readonly calls: NewRun[] = []
  readonly created = new Map<string, string>()
  /** Version ids by the names of workflows. */
  readonly workflows = new Map<string, string>()
  /** Called once the run exists, before that is answered. */
  beforeAnswer: () => Promise<void> = async () => {}
  /** Called before anything exists. */
  beforeCreate: () => Promise<void> = async () => {}

  constructor(private readonly harness: Harness) {
    harness.createRun = (run) => this.create(run)
  }

  define(name: string, source: object): string {
    const versionId = this.harness.define({ name, ...source })
    this.workflows.set(name, versionId)
    return versionId
  }

  private async create(run: NewRun): Promise<{ runId: string }> {
    this.calls.push(run)
    await this.beforeCreate()
    const versionId = this.workflows.get(run.workflow)
    if (versionId === undefined) throw notFound('workflow_not_found', 'There is no such workflow.')
    const { runId = '', dedupeKey, parent = null } = run
    if (!this.created.has(dedupeKey)) {
      this.created.set(dedupeKey, runId)
      await this.harness.request(versionId, 1, JSON.parse(run.inputJson), [runId], { parent, workflow: run.workflow })
    }
    await this.beforeAnswer()
    return { runId: this.created.get(dedupeKey) ?? '' }
  }
}
