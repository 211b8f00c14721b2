import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { read } from '../api/client'
import { ApiError } from '../api/problem'
import type { Run, Workflow } from '../api/types'
import { useApi, useMay } from '../api/use-api'
import { runQuery } from '../run/run-queries'
import { ErrorNotice } from '../shell/error-notice'
import { PageHead } from '../shell/page-head'
import { useAction } from '../shell/use-action'
import { useSearchState } from '../shell/use-search-state'
import { Button } from '../ui/button'
import { copyText } from '../ui/copy'
import { AreaField } from '../ui/field'
import { parseJson } from '../ui/parse-json'
import { SkeletonRows } from '../ui/states'
import { SchemaFields } from './schema-fields'
import { fieldsOf, initialInput } from './schema-form'
import { StartOptionFields } from './start-option-fields'
import { curlOf, emptyOptions, optionsBody, type StartOptions } from './start-options'
import { workflowQuery } from './workflow-queries'
import './workflows.css'

/** `?like=` begins with the input of another run. */
export function StartPage() {
  const { name } = useParams({ strict: false }) as { name: string }
  const api = useApi()
  const [{ like = '' }] = useSearchState()
  const workflow = useQuery({ ...workflowQuery(api, name), refetchOnWindowFocus: false })
  const model = useQuery({ ...runQuery(api, like), enabled: like !== '' })
  if (workflow.isPending || model.isLoading) return <SkeletonRows rows={6} columns={2} />
  if (!workflow.data) return <ErrorNotice error={workflow.error} onRetry={() => void workflow.refetch()} />
  return <StartForm key={name} workflow={workflow.data} like={model.data} />
}

function StartForm({ workflow, like }: { workflow: Workflow; like: Run | undefined }) {
  const { project } = useApi()
  const navigate = useNavigate()
  const may = useMay('operator')
  const schema = (workflow.definition as { input?: unknown } | undefined)?.input
  const fields = useMemo(() => fieldsOf(schema), [schema])
  const [text, setText] = useState(() => JSON.stringify(like?.input ?? initialInput(fields ?? []), null, 2))
  const [options, setOptions] = useState<StartOptions>(emptyOptions)
  const parsed = parseJson(text)
  const body = { ...(parsed.value === null ? {} : { input: parsed.value }), ...optionsBody(options) }
  const start = useAction<void, { id: string }>({
    run: (api) =>
      read(api.client.POST('/api/v1/workflows/{name}/runs', { params: { path: { name: workflow.name } }, body })),
    done: 'Started',
    touches: ['live'],
    onDone: ({ id }) => void navigate({ to: '/p/$project/runs/$runId', params: { project, runId: id } }),
  })
  const refused = start.error instanceof ApiError ? (start.error.problem.errors ?? []) : []
  const faultAt = (path: readonly string[]) =>
    refused.find((each) => each.path.replace(/^\/?input[./]/, '').replaceAll('/', '.') === path.join('.'))?.message
  const curl = curlOf(location.origin, project, workflow.name, body)
  return (
    <>
      <PageHead
        title={`Start ${workflow.name}`}
        above={
          <Link to="/p/$project/workflows/$name" params={{ project, name: workflow.name }}>
            {workflow.name}
          </Link>
        }
        actions={
          <Button
            look="primary"
            icon="play"
            disabled={!may || parsed.fault !== undefined}
            title={may ? undefined : 'You need the role operator'}
            busy={start.isPending}
            onClick={() => start.mutate()}
          >
            Start the run
          </Button>
        }
      />
      <div className="page-body start">
        <section className="card start-form" aria-label="Input">
          <h2>Input</h2>
          {fields && fields.length > 0 ? (
            <SchemaFields
              fields={fields}
              value={parsed.value}
              faultAt={faultAt}
              onChange={(next) => setText(JSON.stringify(next, null, 2))}
            />
          ) : (
            <p className="muted">The workflow describes no input. Whatever JSON you write on the right is passed on.</p>
          )}
          <StartOptionFields
            options={options}
            onChange={setOptions}
            latest={workflow.latestVersion ?? workflow.version}
          />
        </section>
        <section className="card start-form" aria-label="As JSON">
          <AreaField
            label="The same as JSON"
            rows={14}
            spellCheck={false}
            value={text}
            error={parsed.fault}
            onChange={(event) => setText(event.target.value)}
          />
          <h3>The same from a shell</h3>
          <pre className="start-curl">{curl}</pre>
          <div>
            <Button small icon="copy" onClick={() => void copyText(curl, 'Command copied')}>
              Copy
            </Button>
          </div>
        </section>
      </div>
    </>
  )
}
