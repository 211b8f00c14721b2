import { useQuery } from '@tanstack/react-query'
import { meQuery } from '../api/use-api'
import { PageHead } from '../shell/page-head'
import { useSearchState } from '../shell/use-search-state'
import { Tabs } from '../ui/tabs'
import { AuditLog } from './audit-log'
import { Keys } from './keys'
import { Members } from './members'
import { Profile } from './profile'
import { ProjectSettings } from './project'
import { Projects } from './projects'
import { Secrets } from './secrets'
import { Users } from './users'
import './settings.css'

const views = [
  { id: 'members', label: 'Members', View: Members },
  { id: 'keys', label: 'API keys', View: Keys },
  { id: 'secrets', label: 'Secrets', View: Secrets },
  { id: 'audit', label: 'Audit log', View: AuditLog },
  { id: 'project', label: 'Project', View: ProjectSettings },
  { id: 'profile', label: 'Your account', View: Profile },
  { id: 'users', label: 'Users', View: Users },
  { id: 'projects', label: 'Projects', View: Projects },
] as const

const ofPlatform: ReadonlySet<string> = new Set(['users', 'projects'])

type ViewId = (typeof views)[number]['id']

export function SettingsPage() {
  const [search, change] = useSearchState()
  const { data: me } = useQuery(meQuery)
  const shown = views.filter(({ id }) => !ofPlatform.has(id) || me?.user?.admin || search.view === id)
  const selected = shown.find(({ id }) => id === search.view) ?? views[0]
  const { View } = selected
  // Filters of one view mean nothing in another.
  const select = (id: ViewId) =>
    change({
      ...Object.fromEntries(Object.keys(search).map((name) => [name, undefined])),
      view: id === 'members' ? undefined : id,
    })
  return (
    <>
      <PageHead title="Settings" />
      <div className="settings-tabs">
        <Tabs label="Settings" items={shown} selected={selected.id} onSelect={select} />
      </div>
      <div className="page-body settings-body">
        <View />
      </div>
    </>
  )
}
