import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { meQuery, useApi } from '../api/use-api'
import { Forbidden } from '../shell/forbidden'
import { PagedList } from '../shell/paged-list'
import { useSearchState } from '../shell/use-search-state'
import { FilterText } from '../ui/filter-text'
import { Notice } from '../ui/states'
import { Table } from '../ui/table'
import { Time } from '../ui/time'
import { Section } from './section'
import { allProjectsQuery } from './settings-queries'

/** Of the whole platform, for its administrators. */
export function Projects() {
  const { data } = useQuery(meQuery)
  if (data && !data.user.admin) return <Forbidden needs="admin" what="the projects of the platform" />
  return <ProjectsOfPlatform />
}

function ProjectsOfPlatform() {
  const [search, change] = useSearchState()
  const q = search.q ?? ''
  const list = useInfiniteQuery({ ...allProjectsQuery(useApi(), q), placeholderData: (old) => old })
  return (
    <Section
      title="Projects"
      about="Those of everybody. Of a project that is not yours you see members, quotas and use."
    >
      <div className="filters">
        <FilterText
          label="Search projects"
          placeholder="Slug or name"
          value={q}
          onChange={(text) => change({ q: text || undefined })}
        />
      </div>
      <PagedList list={list} columns={3} empty={<Notice icon="search" title="No project fits" />}>
        {(projects) => (
          <Table columns={['Slug', ['Name', 'grow'], ['Created', 'number']]}>
            {projects.map(({ id, slug, name, createdAt }) => (
              <tr key={id}>
                <td>
                  <Link to="/p/$project/settings" params={{ project: slug }} search={{ view: 'project' }}>
                    {slug}
                  </Link>
                </td>
                <td className="grow">{name}</td>
                <td className="number">
                  <Time at={createdAt} />
                </td>
              </tr>
            ))}
          </Table>
        )}
      </PagedList>
    </Section>
  )
}
