import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import { apiFor, read } from '../api/client'
import { meQuery } from '../api/use-api'
import type { IconName } from '../ui/icons'
import { setTheme } from '../ui/theme'
import { namedEntries, useNamed } from './palette-named'
import { rooms } from './rooms'

export interface Entry {
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

/** Of those who administer the platform. */
const platform: readonly [string, string][] = [
  ['users', 'Users of the platform'],
  ['projects', 'Projects of the platform'],
]

const uuid = /^[0-9a-f]{8}-[0-9a-f-]{27}$/i

export type Open = (path: string) => () => void

const commands = (open: Open): Entry[] => [
  ...rooms.map(({ id, label, icon, key }) => ({ id, icon, label, hint: `g ${key}`, run: open(id) })),
  { id: 'new', icon: 'plus', label: 'New workflow', hint: 'create', run: open('workflows/new') },
  { id: 'new-schedule', icon: 'plus', label: 'New schedule', hint: 'create', run: open('schedules/new') },
  { id: 'failed', icon: 'warning', label: 'Failed runs', hint: 'runs', run: open('runs?status=failed') },
  {
    id: 'circuits',
    icon: 'workers',
    label: 'Queues: limits, depth, open circuits',
    hint: 'workers',
    run: open('workers'),
  },
  {
    id: 'retried',
    icon: 'dead-letters',
    label: 'Retried dead letters',
    hint: 'dead letters',
    run: open('dead-letters?state=retried'),
  },
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

export function useEntries(project: string, text: string): Entry[] {
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
  const named = useNamed(project, text)
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
    const ofPlatform = (me.data?.user?.admin ? platform : []).map(([view, label]): Entry => {
      return { id: view, icon: 'settings', label, hint: 'platform', run: open(`settings?view=${view}`) }
    })
    const fixed = [...commands(open), ...ofPlatform, ...others].filter(({ label }) =>
      label.toLowerCase().includes(needle),
    )
    const looked = lookups(text, open)
    return uuid.test(text) ? looked : [...fixed, ...found, ...namedEntries(named, text, open), ...looked]
  }, [navigate, project, text, workflows.data, me.data, named])
}
