import { useQuery } from '@tanstack/react-query'
import { Outlet, useLocation, useNavigate, useParams, useRouter } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { apiFor } from '../api/client'
import { useProjectEvents } from '../api/live'
import { useSession } from '../api/session'
import { meQuery, ProjectProvider } from '../api/use-api'
import { Button } from '../ui/button'
import { keepFocus } from '../ui/keep-focus'
import { Notice } from '../ui/states'
import { useKeys } from '../ui/use-keys'
import { ConnectionBanner } from './connection-banner'
import { rememberProject } from './default-project'
import { ErrorNotice } from './error-notice'
import { KeysHelp } from './keys-help'
import { Palette } from './palette'
import { Rail } from './rail'
import { rooms } from './rooms'
import { SessionExpired } from './session-expired'

export function Shell() {
  const { project } = useParams({ from: '/p/$project' })
  const session = useSession()
  const me = useQuery({ ...meQuery, enabled: session !== 'signed-out' && session !== 'expired' })
  useEffect(() => rememberProject(project), [project])
  if (session === 'signed-out') return <ToSignIn />
  if (me.isPending) return <div className="shell-wait" aria-busy="true" />
  if (me.isError && !me.data) return <ErrorNotice error={me.error} onRetry={() => void me.refetch()} />
  const member = me.data?.projects?.some(({ slug }) => slug === project)
  if (!member && !me.data?.user?.admin) return <NotMember project={project} />
  return (
    <ProjectProvider value={project}>
      <Frame project={project} />
      {session === 'expired' && <SessionExpired email={me.data?.user?.email ?? ''} />}
    </ProjectProvider>
  )
}

/** Where to go back to is asked once: while the way to the sign-in is loading, that is already the address. */
function ToSignIn() {
  const navigate = useNavigate()
  const { href } = useLocation()
  const [to] = useState(href)
  useEffect(() => void navigate({ to: '/sign-in', search: { to }, replace: true }), [navigate, to])
  return <div className="shell-wait" aria-busy="true" />
}

function NotMember({ project }: { project: string }) {
  return (
    <Notice icon="lock" title="There is no such project" actions={<a href="/">Go to a project of yours</a>}>
      <p>
        Either there is no project <code>{project}</code>, or you are not one of its members. An owner can invite you.
      </p>
    </Notice>
  )
}

function Frame({ project }: { project: string }) {
  const navigate = useNavigate()
  const [open, setOpen] = useState<'palette' | 'keys' | undefined>()
  const [railOpen, setRailOpen] = useState(false)
  const { pathname } = useLocation()
  const router = useRouter()
  useEffect(() => router.subscribe('onRendered', () => keepFocus()), [router])
  useProjectEvents(apiFor(project))
  // biome-ignore lint/correctness/useExhaustiveDependencies: the rail of a narrow screen closes with every move
  useEffect(() => setRailOpen(false), [pathname])
  const go = Object.fromEntries(
    rooms.map(({ id, key }) => [`g ${key}`, () => void navigate({ to: `/p/$project/${id}`, params: { project } })]),
  )
  useKeys({ ...go, 'mod+k': () => setOpen('palette'), '?': () => setOpen('keys') })
  return (
    <div className="shell" data-rail={railOpen ? 'open' : 'closed'}>
      <a className="skip" href="#content">
        Skip to content
      </a>
      <Rail project={project} onSearch={() => setOpen('palette')} onKeys={() => setOpen('keys')} />
      <button type="button" className="rail-shade" aria-label="Close navigation" onClick={() => setRailOpen(false)} />
      <main className="content" id="content" tabIndex={-1}>
        <div className="narrow-bar">
          <Button look="quiet" icon="menu" aria-label="Navigation" onClick={() => setRailOpen(true)} />
          <strong>Millrace</strong>
        </div>
        <ConnectionBanner />
        <Outlet />
      </main>
      {open === 'palette' && <Palette project={project} onClose={() => setOpen(undefined)} />}
      {open === 'keys' && <KeysHelp onClose={() => setOpen(undefined)} />}
    </div>
  )
}
