import { useState } from 'react'
import { messageOf } from '../api/problem'
import { queryClient } from '../api/query-client'
import { useApi } from '../api/use-api'
import { toast } from '../ui/toast'

/** Whether the API took it; what it refused of many is told apart by the work itself. */
export function useDeadLetterAction() {
  const { project } = useApi()
  const [busy, setBusy] = useState(false)
  const during = (work: () => Promise<void>) => async (): Promise<boolean> => {
    setBusy(true)
    const done = await work().then(
      () => true,
      (error: unknown) => {
        toast('bad', messageOf(error))
        return false
      },
    )
    setBusy(false)
    void queryClient.invalidateQueries({ queryKey: [project] })
    return done
  }
  return { busy, during }
}
