import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useLiveState } from '../api/live'
import { queryClient } from '../api/query-client'
import { signOut } from '../api/session'
import { meQuery } from '../api/use-api'
import { Icon } from '../ui/icons'
import { Menu, MenuItem, MenuLabel, MenuLine } from '../ui/menu'
import { setTheme, type Theme, useTheme } from '../ui/theme'
import { NewProjectDialog } from './new-project-dialog'
import { rooms } from './rooms'

interface RailProps {
  project: string
  onSearch: () => void
  onKeys: () => void
}

export function Rail({ project, onSearch, onKeys }: RailProps) {
  return (
    <nav className="rail" aria-label="Rooms">
      <ProjectSwitcher project={project} />
      <button type="button" className="rail-search" onClick={onSearch}>
        <Icon name="search" size={14} />
        <span>Search</span>
        <kbd>{navigator.platform.startsWith('Mac') ? '⌘K' : 'Ctrl K'}</kbd>
      </button>
      <ul className="rail-rooms">
        {rooms.map(({ id, label, icon }) => (
          <li key={id}>
            <Link
              className="rail-link"
              to={`/p/$project/${id}`}
              params={{ project }}
              activeProps={{ 'aria-current': 'page' }}
            >
              <Icon name={icon} />
              {label}
            </Link>
          </li>
        ))}
      </ul>
      <div className="rail-foot">
        <LiveMark />
        <PersonMenu onKeys={onKeys} />
      </div>
    </nav>
  )
}

function ProjectSwitcher({ project }: { project: string }) {
  const navigate = useNavigate()
  const { data } = useQuery(meQuery)
  const [creating, setCreating] = useState(false)
  const trigger = (
    <button type="button" className="rail-project">
      <span className="visually-hidden">Project</span>
      <span className="rail-mark" aria-hidden="true">
        {project.slice(0, 1).toUpperCase()}
      </span>
      <span className="rail-project-name">{project}</span>
      <Icon name="chevron" size={13} />
    </button>
  )
  return (
    <>
      <Menu trigger={trigger}>
        <MenuLabel>Projects</MenuLabel>
        {(data?.projects ?? []).map(({ slug, role }) => (
          <MenuItem
            key={slug}
            onSelect={() => void navigate({ to: '/p/$project/overview', params: { project: slug ?? '' } })}
          >
            {slug}
            <span className="muted">{role}</span>
          </MenuItem>
        ))}
        <MenuLine />
        <MenuItem onSelect={() => setCreating(true)}>New project…</MenuItem>
      </Menu>
      {creating && <NewProjectDialog onClose={() => setCreating(false)} />}
    </>
  )
}

const liveWords = {
  live: 'Live',
  connecting: 'Connecting',
  reconnecting: 'Reconnecting',
  polling: 'Every few seconds',
}

function LiveMark() {
  const state = useLiveState()
  return (
    <div className="rail-live" data-state={state} title="How this page learns of changes">
      <span className="rail-live-dot" aria-hidden="true" />
      {liveWords[state]}
    </div>
  )
}

const themes: readonly [Theme, string][] = [
  ['system', 'Theme of the system'],
  ['light', 'Light'],
  ['dark', 'Dark'],
]

function PersonMenu({ onKeys }: { onKeys: () => void }) {
  const { data } = useQuery(meQuery)
  const theme = useTheme()
  const navigate = useNavigate()
  const leave = async () => {
    await signOut().catch(() => undefined)
    queryClient.clear()
    await navigate({ to: '/sign-in' })
  }
  const trigger = (
    <button type="button" className="rail-person">
      <Icon name="user" size={15} />
      <span className="rail-project-name">{data?.user?.name || data?.user?.email || 'You'}</span>
    </button>
  )
  return (
    <Menu trigger={trigger}>
      <MenuLabel>{data?.user?.email}</MenuLabel>
      {themes.map(([id, label]) => (
        <MenuItem key={id} onSelect={() => setTheme(id)}>
          <span className="menu-check">{theme === id && <Icon name="check" size={13} />}</span>
          {label}
        </MenuItem>
      ))}
      <MenuLine />
      <MenuItem onSelect={onKeys}>Keyboard shortcuts</MenuItem>
      <MenuItem onSelect={() => window.open('/docs', '_blank', 'noopener')}>API reference</MenuItem>
      <MenuLine />
      <MenuItem onSelect={() => void leave()}>Sign out</MenuItem>
    </Menu>
  )
}
