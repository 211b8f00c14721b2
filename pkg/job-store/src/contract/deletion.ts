import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import type { ContractContext } from '../contract.js'
import { artifact, jobHistory, logLine, runHistory } from './samples.js'

export function deletionContract({ store, projectId }: ContractContext): void {
  async function seed(project: string) {
    const runId = randomUUID()
    const { jobId, changes } = jobHistory({ projectId: project, runId })
    await store().apply({
      jobs: changes,
      runs: runHistory({ projectId: project, runId }).changes,
      artifacts: [artifact(project, runId, 'pay')],
    })
    await store().appendLogs([1, 2, 3].map((seq) => logLine({ projectId: project, runId, jobId }, { seq })))
    return { runId, jobId, project }
  }
  const known = async ({ runId, jobId, project }: Awaited<ReturnType<typeof seed>>) => ({
    run: (await store().getRun(project, runId)) !== undefined,
    job: (await store().getJob(project, jobId)) !== undefined,
    artifacts: (await store().listArtifacts(project, runId, 'pay')).length,
    lines: (await store().readLogs({ projectId: project, runId }, { limit: 10 })).lines.length,
  })
  const all = { run: true, job: true, artifacts: 1, lines: 3 }
  const nothing = { run: false, job: false, artifacts: 0, lines: 0 }

  it('forgets runs with their jobs, files and lines, and no others; twice is no harm', async () => {
    const [gone, also, stays] = [await seed(projectId), await seed(projectId), await seed(projectId)]
    expect(await known(gone)).toEqual(all)
    for (let times = 0; times < 2; times++) {
      await store().deleteRuns([gone.runId, also.runId, randomUUID()])
      expect([await known(gone), await known(also), await known(stays)]).toEqual([nothing, nothing, all])
    }
  })

  it('forgets a project, and no other', async () => {
    const doomed = randomUUID()
    const [gone, also, stays] = [await seed(doomed), await seed(doomed), await seed(projectId)]
    await store().deleteProject(doomed)
    expect([await known(gone), await known(also), await known(stays)]).toEqual([nothing, nothing, all])
  })
}
