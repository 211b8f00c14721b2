import { useNavigate } from '@tanstack/react-router'
import { read } from '../api/client'
import { isStatus } from '../api/problem'
import { useApi } from '../api/use-api'
import { useAction } from '../shell/use-action'
import type { Example } from './examples'
import { createFromYaml } from './workflow-queries'

/** One click: creates the example, unless it is there already, starts it and shows the run. */
export function useExample() {
  const { project } = useApi()
  const navigate = useNavigate()
  return useAction<Example, { id: string }>({
    run: async (api, { name, yaml, input }) => {
      await createFromYaml(api, yaml).catch((error: unknown) => {
        if (!isStatus(error, 409)) throw error
      })
      return read(api.client.POST('/api/v1/workflows/{name}/runs', { params: { path: { name } }, body: { input } }))
    },
    onDone: ({ id }) => void navigate({ to: '/p/$project/runs/$runId', params: { project, runId: id } }),
  })
}
