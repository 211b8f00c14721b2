import { type MemberRole, memberRoles } from '@millrace/identity'

type Groups = ReadonlyMap<string, readonly { project: string; role: MemberRole }[]>

/** What a person's groups make of them: by project, the highest role that one of the groups gives. */
export function rolesOfGroups(mapping: Groups, claim: unknown): { slug: string; role: MemberRole }[] {
  const groups = Array.isArray(claim) ? claim.filter((group) => typeof group === 'string') : []
  const roles = new Map<string, MemberRole>()
  for (const { project, role } of groups.flatMap((group) => mapping.get(group) ?? [])) {
    const before = roles.get(project)
    if (before === undefined || memberRoles.indexOf(role) > memberRoles.indexOf(before)) roles.set(project, role)
  }
  return [...roles].map(([slug, role]) => ({ slug, role }))
}
