import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { read } from '../api/client'
import { useApi } from '../api/use-api'
import { ErrorNotice } from '../shell/error-notice'
import { FormError } from '../shell/form-dialog'
import { useAction } from '../shell/use-action'
import { Button } from '../ui/button'
import { CopyId } from '../ui/copy'
import { TextField } from '../ui/field'
import { SkeletonRows } from '../ui/states'
import { LeaveProject } from './leave-project'
import { useMayManage } from './members'
import { changeOf, draftOf, faultsOf, type Project, quotasInWords } from './project-form'
import { Section } from './section'
import { projectQuery, usageQuery } from './settings-queries'

export function ProjectSettings() {
  const project = useQuery(projectQuery(useApi()))
  if (project.isPending) return <SkeletonRows rows={6} columns={2} />
  if (!project.data) return <ErrorNotice error={project.error} onRetry={() => void project.refetch()} />
  return (
    <>
      <ProjectFacts project={project.data} />
      <ProjectForm project={project.data} />
      <LeaveProject />
    </>
  )
}

function ProjectFacts({ project }: { project: Project }) {
  const usage = useQuery({ ...usageQuery(useApi()), refetchInterval: 30_000 })
  return (
    <Section title="Project">
      <dl className="facts">
        <dt>Slug</dt>
        <dd>
          <code>{project.slug}</code>
        </dd>
        <dt>Id</dt>
        <dd>
          <CopyId id={project.id} whole />
        </dd>
        {quotasInWords(project, usage.data?.usage).map(({ label, words, share }) => (
          <div key={label} className="keys-row">
            <dt>{label}</dt>
            <dd>
              {words}
              {share !== undefined && (
                <meter className="quota" min={0} max={1} high={0.8} value={share} aria-label={label} />
              )}
            </dd>
          </div>
        ))}
      </dl>
    </Section>
  )
}

function ProjectForm({ project }: { project: Project }) {
  const may = useMayManage()
  const [draft, setDraft] = useState(() => draftOf(project))
  const faults = faultsOf(draft)
  const change = changeOf(project, draft)
  const save = useAction({
    run: (api) =>
      read(api.client.PATCH('/api/v1/projects/{slug}', { params: { path: { slug: api.project } }, body: change })),
    done: 'The project is changed',
    touches: ['settings', 'project'],
  })
  const ready = may && Object.keys(faults).length === 0 && Object.keys(change).length > 0
  return (
    <Section title="Name and retention" about={may ? undefined : 'Only an owner can change these.'}>
      <form
        className="settings-form"
        onSubmit={(event) => {
          event.preventDefault()
          if (ready) save.mutate()
        }}
      >
        <TextField
          label="Name"
          disabled={!may}
          maxLength={200}
          value={draft.name}
          error={faults.name}
          onChange={(event) => setDraft((old) => ({ ...old, name: event.target.value }))}
        />
        <TextField
          label="Keep ended runs for"
          disabled={!may}
          placeholder="as the platform does"
          value={draft.retention}
          error={faults.retention}
          hint="Such as 30d; 0 keeps them for ever. A workflow may say otherwise for its own runs."
          onChange={(event) => setDraft((old) => ({ ...old, retention: event.target.value.trim() }))}
        />
        <FormError error={save.error} />
        <Button type="submit" look="primary" busy={save.isPending} disabled={!ready}>
          Save
        </Button>
      </form>
    </Section>
  )
}
