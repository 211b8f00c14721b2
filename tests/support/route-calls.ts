import type { Route } from '@millrace/routes'

/** A path of the table with its parameters filled in. */
export function fillPath(route: Route, params: Record<string, string>): string {
  return route.path.replace(/\{(\w+)\+?\}/g, (_, name: string) => params[name] ?? 'x')
}

export const hasParams = (route: Route): boolean => route.path.includes('{')

export const title = (route: Route): string => `${route.method} ${route.path}`
