import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query'
import type { Api } from '../api/client'
import { ApiError, messageOf } from '../api/problem'
import { useApi } from '../api/use-api'
import { toast } from '../ui/toast'

interface ActionOptions<Input, Output> {
  run: (api: Api, input: Input) => Promise<Output>
  /** Said when it is done. */
  done?: string | ((output: Output, input: Input) => string)
  onDone?: (output: Output, input: Input) => void
  /** Query keys below the project that are read anew; all of the project's when absent. */
  touches?: QueryKey
  /**
   * Shown at once, and taken back with the reason when the API refuses. What is to become of it is the input: these
   * functions are made anew when the page is drawn again, which the change itself makes happen.
   */
  optimistic?: { queryKey: QueryKey; update: (old: never, input: Input) => unknown }
}

/** A change through the API, answered at once and rolled back with the reason when refused. */
export function useAction<Input = void, Output = unknown>(options: ActionOptions<Input, Output>) {
  const api = useApi()
  const client = useQueryClient()
  const { optimistic } = options
  return useMutation({
    mutationFn: (input: Input) => options.run(api, input),
    onMutate: async (input) => {
      if (!optimistic) return undefined
      const queryKey = [api.project, ...optimistic.queryKey]
      await client.cancelQueries({ queryKey })
      const before = client.getQueryData(queryKey)
      client.setQueryData(queryKey, (old: never) => (old === undefined ? old : optimistic.update(old, input)))
      return { queryKey, before }
    },
    onError: (error, _input, rollback) => {
      if (rollback) client.setQueryData(rollback.queryKey, rollback.before)
      const requestId = error instanceof ApiError ? error.problem.requestId : undefined
      toast('bad', messageOf(error), requestId ? { detail: `Request ${requestId}` } : {})
    },
    onSuccess: (output, input) => {
      const text = typeof options.done === 'function' ? options.done(output, input) : options.done
      if (text) toast('good', text)
      options.onDone?.(output, input)
    },
    onSettled: () => client.invalidateQueries({ queryKey: [api.project, ...(options.touches ?? [])] }),
  })
}
