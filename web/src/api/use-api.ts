import { useQuery } from '@tanstack/react-query'
import { createContext, use } from 'react'
import { type Api, apiFor, read } from './client'
import { type Me, mayActAs, type Role } from './types'

const ProjectContext = createContext('')

export const ProjectProvider = ProjectContext.Provider

/** The API of the project that is on screen. */
export const useApi = (): Api => apiFor(use(ProjectContext))

export const meQuery = {
  queryKey: ['me'],
  queryFn: (): Promise<Me> => read(apiFor('').client.GET('/api/v1/auth/me')),
  staleTime: 60_000,
}

/** The caller's role in the project on screen; undefined until known. */
export function useRole(): string | undefined {
  const { data } = useQuery(meQuery)
  const project = use(ProjectContext)
  return data?.projects?.find(({ slug }) => slug === project)?.role
}

export const useMay = (needed: Role): boolean => mayActAs(useRole(), needed)
