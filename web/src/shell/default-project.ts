import { type ParsedLocation, redirect } from '@tanstack/react-router'
import { queryClient } from '../api/query-client'
import { accessToken } from '../api/session'
import { meQuery } from '../api/use-api'

const storageKey = 'millrace.project'

export const rememberProject = (slug: string): void => localStorage.setItem(storageKey, slug)

/** Sends whoever is signed in to the project they saw last, and everyone else to sign in. */
export async function toDefaultProject({ location }: { location: ParsedLocation }): Promise<void> {
  if ((await accessToken()) === undefined) {
    throw redirect({ to: '/sign-in', search: location.pathname === '/' ? {} : { to: location.href } })
  }
  const { projects = [] } = await queryClient.ensureQueryData(meQuery)
  const remembered = localStorage.getItem(storageKey)
  const slug = projects.find((project) => project.slug === remembered)?.slug ?? projects[0]?.slug
  if (slug === undefined) throw redirect({ to: '/no-project' })
  const rest = location.pathname === '/' ? '/overview' : location.pathname
  throw redirect({ href: `/p/${slug}${rest}${location.searchStr}` })
}
