import { type ParsedLocation, redirect } from '@tanstack/react-router'
import { queryClient } from '../api/query-client'
import { accessToken } from '../api/session'
import { meQuery } from '../api/use-api'

const storageKey = 'millrace.project'

export const rememberProject = (slug: string): void => localStorage.setItem(storageKey, slug)

interface Place {
  pathname: string
  searchStr: string
}

/**
 * The address with its project: the one that `?project=` names by slug or id, as links in notifications do, else the one
 * seen last. Undefined for who is in no project.
 */
export function addressInProject(
  { pathname, searchStr }: Place,
  projects: readonly { id?: string; slug?: string }[],
  remembered: string | null,
): string | undefined {
  const search = new URLSearchParams(searchStr)
  const named = search.get('project')
  search.delete('project')
  const find = (name: string | null) => projects.find(({ id, slug }) => slug === name || id === name)
  const { slug } = find(named) ?? find(remembered) ?? projects[0] ?? {}
  if (slug === undefined) return undefined
  return `/p/${slug}${pathname === '/' ? '/overview' : pathname}${search.size === 0 ? '' : `?${search}`}`
}

/** Sends whoever is signed in to the address within a project, and everyone else to sign in. */
export async function toDefaultProject({ location }: { location: ParsedLocation }): Promise<void> {
  if ((await accessToken()) === undefined) {
    throw redirect({ to: '/sign-in', search: location.pathname === '/' ? {} : { to: location.href } })
  }
  const { projects = [] } = await queryClient.ensureQueryData(meQuery)
  const href = addressInProject(location, projects, localStorage.getItem(storageKey))
  if (href === undefined) throw redirect({ to: '/no-project' })
  throw redirect({ href })
}
