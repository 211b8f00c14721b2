import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, useMemo, useRef, useState } from 'react'
import { apiFor, read } from '../api/client'
import { meQuery } from '../api/use-api'
import { Icon, type IconName } from '../ui/icons'
import { setTheme } from '../ui/theme'
import { useModal } from '../ui/use-modal'
import { rooms } from './rooms'

interface Entry {
  id: string
  icon: IconName
  label: string
  hint: string
  run: () => void
}

const settings: readonly [string, string][] = [
  ['members', 'Members and invitations'],
  ['keys', 'API keys and service accounts'],
  ['secrets', 'Secrets'],
  ['audit', 'Audit log'],
  ['project', 'Project: name, retention, quotas'],
  ['profile', 'Your account, password and sessions'],
]

const uuid = /^[0-9a-f]{8}-[0-9a-f-]{27}$/i

type Open = (path: string) => () => void

const commands = (open: Open): Entry[] => [
  ...rooms.map(({ id, label, icon, key }) => ({ id, icon, label, hint: `g ${key}`, run: open(id) })),
  { id: 'new', icon: 'plus', label: 'New workflow', hint: 'create', run: open('workflows/new') },
  { id: 'new-schedule', icon: 'plus', label: 'New schedule', hint: 'create', run: open('schedules/new') },
  { id: 'failed', icon: 'warning', label: 'Failed runs', hint: 'runs', run: open('runs?status=failed') },
  ...settings.map(([view, label]): Entry => {
    return { id: view, icon: 'settings', label, hint: 'settings', run: open(`settings?view=${view}`) }
  }),
  { id: 'light', icon: 'sun', label: 'Light theme', hint: 'theme', run: () => setTheme('light') },
  { id: 'dark', icon: 'sun', label: 'Dark theme', hint: 'theme', run: () => setTheme('dark') },
  { id: 'system', icon: 'sun', label: 'Theme of the system', hint: 'theme', run: () => setTheme('system') },
]

/** By what was typed: a run, or runs, whatever else has that name. */
const lookups = (text: string, open: Open): Entry[] => {
  const id = encodeURIComponent(text)
  if (text === '') return []
  if (uuid.test(text)) return [{ id: 'run', icon: 'runs', label: `Run ${text}`, hint: 'open', run: open(`runs/${id}`) }]
  return [{ id: 'search', icon: 'search', label: `Runs with “${text}”`, hint: 'runs', run: open(`runs?q=${id}`) }]
}

function useEntries(project: string, text: string): Entry[] {
  const navigate = useNavigate()
  const { client } = apiFor(project)
  const workflows = useQuery({
    queryKey: [project, 'palette', text],
    queryFn: () =>
      read(client.GET('/api/v1/workflows', { params: { query: { limit: 20, ...(text ? { q: text } : {}) } } })),
    staleTime: 10_000,
    placeholderData: (old) => old,
  })
  const me = useQuery(meQuery)
  return useMemo(() => {
    const go = (href: string) => () => void navigate({ href })
    const open = (path: string) => go(`/p/${project}/${path}`)
    const needle = text.toLowerCase()
    const others = (me.data?.projects ?? []).flatMap(({ slug }): Entry[] => {
      if (slug === undefined || slug === project) return []
      return [
        { id: `p:${slug}`, icon: 'right', label: `Project ${slug}`, hint: 'switch', run: go(`/p/${slug}/overview`) },
      ]
    })
    const found = (workflows.data?.items ?? []).flatMap(({ name }): Entry[] => [
      { id: `w:${name}`, icon: 'workflows', label: name, hint: 'workflow', run: open(`workflows/${name}`) },
      { id: `s:${name}`, icon: 'play', label: `Start ${name}`, hint: 'run', run: open(`workflows/${name}/start`) },
    ])
    const fixed = [...commands(open), ...others].filter(({ label }) => label.toLowerCase().includes(needle))
    const looked = lookups(text, open)
    return uuid.test(text) ? looked : [...fixed, ...found, ...looked]
  }, [navigate, project, text, workflows.data, me.data])
}

export function Palette({ project, onClose }: { project: string; onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const entries = useEntries(project, text.trim())
  useModal(dialog, onClose)
  const choose = (entry: Entry | undefined) => {
    if (!entry) return
    onClose()
    entry.run()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    event.stopPropagation()
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) {
      event.preventDefault()
      setAt((current) => (current + step + entries.length) % Math.max(1, entries.length))
    } else if (event.key === 'Enter') choose(entries[at])
  }
  return (
    <dialog
      ref={dialog}
      className="dialog palette"
      aria-label="Search and commands"
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      onMouseDown={(event) => {
        if (event.target === dialog.current) onClose()
      }}
      onKeyDown={onKeyDown}
    >
      <input
        className="palette-input"
        placeholder="Go to a room, a workflow, a run by its id, or do something"
        aria-label="Search"
        role="combobox"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={entries[at] ? `palette-${at}` : undefined}
        value={text}
        onChange={(event) => {
          setText(event.target.value)
          setAt(0)
        }}
      />
      <div className="palette-list" id="palette-list" role="listbox" aria-label="Results">
        {entries.map((entry, index) => (
          <div
            key={entry.id}
            id={`palette-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === at}
            className="palette-entry"
            ref={(element) => {
              if (index === at) element?.scrollIntoView({ block: 'nearest' })
            }}
            onMouseMove={() => setAt(index)}
            onClick={() => choose(entry)}
            onKeyDown={() => undefined}
          >
            <Icon name={entry.icon} size={15} />
            <span className="palette-label">{entry.label}</span>
            <span className="muted">{entry.hint}</span>
          </div>
        ))}
        {entries.length === 0 && <p className="muted palette-none">Nothing by that name.</p>}
      </div>
    </dialog>
  )
}
