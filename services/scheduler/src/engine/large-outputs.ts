import { isLargeOutput, type OutputArtifact, outputArtifact, outputPointer } from '../domain/large-output.js'
import { type DecidedRun, taskId } from './decided-run.js'

/** The outputs of a decision that are kept as artifacts. */
export interface LargeOutputs {
  /** By task index. `stored`: the artifact has been written. */
  readonly tasks: ReadonlyMap<number, { artifact: OutputArtifact; stored: boolean }>
  /** Of the run itself. */
  readonly run: OutputArtifact | undefined
}

export function largeOutputsOf(run: DecidedRun): LargeOutputs {
  const { effects, state } = run.decision
  const tasks = new Map<number, { artifact: OutputArtifact; stored: boolean }>()
  for (const change of effects.tasks) {
    if (change.artifact) tasks.set(change.index, { artifact: change.artifact, stored: true })
    else if (change.output && isLargeOutput(change.output)) {
      const artifact = outputArtifact(taskId(run, change), `attempt-${change.attempt}`, change.output)
      tasks.set(change.index, { artifact, stored: false })
    }
  }
  const output = effects.run?.output
  const own = output && isLargeOutput(output)
  return { tasks, run: own ? outputArtifact(state.id, `generation-${state.generation}`, output) : undefined }
}

export const noLargeOutputs: LargeOutputs = { tasks: new Map(), run: undefined }

/** The run's output as readers see it. */
export function shownRunOutput({ decision: { effects } }: DecidedRun, large: LargeOutputs): string | null {
  return large.run ? outputPointer(large.run) : (effects.run?.output ?? null)
}
