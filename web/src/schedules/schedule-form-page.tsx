import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { read } from '../api/client'
import { ApiError } from '../api/problem'
import type { Schedule } from '../api/types'
import { useApi, useMay } from '../api/use-api'
import { ErrorNotice } from '../shell/error-notice'
import { PageHead } from '../shell/page-head'
import { useAction } from '../shell/use-action'
import { useSearchState } from '../shell/use-search-state'
import { Button } from '../ui/button'
import { Notice, SkeletonRows } from '../ui/states'
import { viewerZone } from './next-ticks'
import { ScheduleFieldset } from './schedule-fieldset'
import { bodyOf, emptyFields, faultsOf, fieldsOf, refusalsOf, type ScheduleFields } from './schedule-form'
import { scheduleQuery, titleOf } from './schedule-queries'
import './schedules.css'

/** `?workflow=` begins with that one. */
export function NewSchedulePage() {
  const [{ workflow = '' }] = useSearchState()
  return <ScheduleForm title="New schedule" initial={emptyFields(workflow, viewerZone)} />
}

export function EditSchedulePage() {
  const { scheduleId } = useParams({ strict: false }) as { scheduleId: string }
  const api = useApi()
  const schedule = useQuery({ ...scheduleQuery(api, scheduleId), refetchOnWindowFocus: false })
  if (schedule.isPending) return <SkeletonRows rows={6} columns={2} />
  if (!schedule.data) return <ErrorNotice error={schedule.error} onRetry={() => void schedule.refetch()} />
  return (
    <ScheduleForm
      key={scheduleId}
      id={scheduleId}
      title={`Edit ${titleOf(schedule.data)}`}
      initial={fieldsOf(schedule.data)}
    />
  )
}

function useSave(id: string | undefined, fields: ScheduleFields) {
  const { project } = useApi()
  const navigate = useNavigate()
  return useAction<void, Schedule>({
    run: ({ client }) => {
      const { name, ...rest } = bodyOf(fields)
      return id === undefined
        ? read(client.POST('/api/v1/schedules', { body: { ...rest, ...(name === '' ? {} : { name }) } }))
        : read(client.PATCH('/api/v1/schedules/{id}', { params: { path: { id } }, body: { ...rest, name } }))
    },
    done: id === undefined ? 'The schedule is set' : 'Saved',
    onDone: (saved) =>
      void navigate({ to: '/p/$project/schedules/$scheduleId', params: { project, scheduleId: saved.id } }),
  })
}

function ScheduleForm({ id, title, initial }: { id?: string; title: string; initial: ScheduleFields }) {
  const { project } = useApi()
  const may = useMay('editor')
  const [fields, setFields] = useState(initial)
  const [tried, setTried] = useState(false)
  const save = useSave(id, fields)
  const missing = faultsOf(fields)
  const refused = refusalsOf(save.error instanceof ApiError ? save.error.problem : undefined)
  const above = (
    <Link to="/p/$project/schedules" params={{ project }}>
      Schedules
    </Link>
  )
  if (!may) {
    return (
      <>
        <PageHead title={title} above={above} />
        <Notice icon="lock" title="You may not change schedules">
          <p>You need the role editor. An owner of the project can give it to you.</p>
        </Notice>
      </>
    )
  }
  return (
    <>
      <PageHead title={title} above={above} />
      <form
        className="page-body schedule-form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          setTried(true)
          if (Object.keys(missing).length === 0) save.mutate()
        }}
      >
        <ScheduleFieldset
          fields={fields}
          faults={tried ? { ...refused, ...missing } : {}}
          onChange={(change) => setFields((old) => ({ ...old, ...change }))}
        />
        <div className="schedule-buttons">
          <Button type="submit" look="primary" busy={save.isPending}>
            {id === undefined ? 'Create the schedule' : 'Save'}
          </Button>
          <Link
            className="button button-quiet"
            to={id === undefined ? '/p/$project/schedules' : '/p/$project/schedules/$scheduleId'}
            params={{ project, ...(id === undefined ? {} : { scheduleId: id }) } as never}
          >
            Cancel
          </Link>
        </div>
      </form>
    </>
  )
}
