import { useQuery } from '@tanstack/react-query'
import { useBlocker, useNavigate, useParams } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense, useMemo, useState } from 'react'
import type { Workflow } from '../api/types'
import { useApi, useMay } from '../api/use-api'
import { YamlEditor } from '../editor/yaml-editor'
import { buildGraph } from '../graph/graph-model'
import { ErrorNotice } from '../shell/error-notice'
import { PageHead } from '../shell/page-head'
import { useAction } from '../shell/use-action'
import { useSearchState } from '../shell/use-search-state'
import { Button } from '../ui/button'
import { plural } from '../ui/format'
import { Icon } from '../ui/icons'
import { SkeletonRows } from '../ui/states'
import { useNarrow } from '../ui/use-narrow'
import { toYaml } from './definition-text'
import { examples } from './examples'
import { useValidation } from './use-validation'
import { createFromYaml, saveYaml, schemaQuery, workflowQuery } from './workflow-queries'
import './workflows.css'

const GraphView = lazy(() => import('../graph/graph-view').then((module) => ({ default: module.GraphView })))

const blank = `name: my-workflow
tasks:
  first:
    uses: noop
`

export function NewWorkflowPage() {
  const [search, change] = useSearchState()
  const example = examples.find(({ name }) => name === search.example)
  const from = (
    <select
      className="input editor-from"
      aria-label="Begin with"
      value={example?.name ?? ''}
      onChange={(event) => change({ example: event.target.value || undefined })}
    >
      <option value="">From nothing</option>
      {examples.map(({ name, title }) => (
        <option key={name} value={name}>
          Example: {title}
        </option>
      ))}
    </select>
  )
  return <Editor key={example?.name ?? 'blank'} initial={example?.yaml ?? blank} from={from} />
}

export function EditWorkflowPage() {
  const { name } = useParams({ strict: false }) as { name: string }
  const api = useApi()
  const workflow = useQuery({ ...workflowQuery(api, name), refetchOnWindowFocus: false })
  if (workflow.isPending) return <SkeletonRows rows={8} columns={3} />
  if (!workflow.data) return <ErrorNotice error={workflow.error} onRetry={() => void workflow.refetch()} />
  return <Editor key={workflow.data.name} initial={toYaml(workflow.data.definition)} workflow={workflow.data} />
}

interface EditorProps {
  initial: string
  workflow?: Workflow
  /** What a new one begins with. */
  from?: ReactNode
}

function Editor({ initial, workflow, from }: EditorProps) {
  const api = useApi()
  const navigate = useNavigate()
  const may = useMay('editor')
  const narrow = useNarrow()
  const [text, setText] = useState(initial)
  const [saved, setSaved] = useState(workflow ? initial : '')
  const schema = useQuery(schemaQuery(api))
  const { faults, unplaced, graph, busy } = useValidation(api, text)
  const model = useMemo(() => buildGraph(graph ?? { nodes: [], edges: [] }, []), [graph])
  // What was typed is not lost by a stray click.
  const dirty = may && text !== saved && text !== initial
  useBlocker({ shouldBlockFn: () => dirty && !window.confirm('Leave without saving?'), enableBeforeUnload: dirty })
  const save = useAction<void, Workflow>({
    run: (on) => (workflow ? saveYaml(on, workflow.name, text) : createFromYaml(on, text)),
    done: ({ name, version }) => `Saved ${name}, version ${version}`,
    onDone: ({ name }) => {
      setSaved(text)
      if (!workflow)
        queueMicrotask(
          () =>
            void navigate({
              to: '/p/$project/workflows/$name',
              params: { project: api.project, name },
              ignoreBlocker: true,
            }),
        )
    },
  })
  const wrong = faults.length + unplaced.length
  return (
    <div className="room-tall">
      <PageHead
        title={workflow ? `Edit ${workflow.name}` : 'New workflow'}
        beside={
          <span className={wrong > 0 ? 'tone-failed status' : 'muted status'} role="status">
            {wrong > 0 && <Icon name="warning" size={14} />}
            {wrong > 0 ? plural(wrong, 'fault') : busy ? 'checking' : 'valid'}
          </span>
        }
        actions={
          <>
            {from}
            <Button
              look="primary"
              disabled={!may || wrong > 0}
              title={may ? undefined : 'You need the role editor'}
              busy={save.isPending}
              onClick={() => save.mutate()}
            >
              {workflow ? 'Save a new version' : 'Create'}
            </Button>
          </>
        }
      >
        {unplaced.map((fault) => (
          <div key={fault.path + fault.code} className="banner banner-danger">
            <code>{fault.path}</code> {fault.message}
          </div>
        ))}
      </PageHead>
      <div className="editor-frame">
        <YamlEditor
          label="Definition"
          initial={initial}
          onChange={setText}
          onSave={() => may && wrong === 0 && save.mutate()}
          faults={faults}
          schema={schema.data}
          readOnly={!may}
        />
        <Suspense fallback={<div className="graph-wait" aria-busy="true" />}>
          <GraphView model={model} direction={narrow ? 'right' : 'down'} />
        </Suspense>
      </div>
    </div>
  )
}
