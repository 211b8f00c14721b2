import { useState } from 'react'
import { Button } from '../ui/button'
import { Dialog } from '../ui/dialog'
import { TextField } from '../ui/field'
import { Menu, MenuItem, MenuLabel, MenuLine } from '../ui/menu'
import { filtersOf, type RunFilters } from './run-filters'

const storageKey = 'millrace.run-views'

interface View {
  name: string
  filters: RunFilters
}

const given: readonly View[] = [
  { name: 'Failed in the last day', filters: { status: 'failed', from: '24h' } },
  { name: 'Not ended', filters: { status: 'queued,running,paused,cancelling' } },
]

function readViews(): View[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(storageKey) ?? '[]')
    if (!Array.isArray(stored)) return []
    return stored.flatMap((each: Partial<View>) =>
      typeof each.name === 'string' ? [{ name: each.name, filters: filtersOf({ ...each.filters }) }] : [],
    )
  } catch {
    return []
  }
}

/** Kept in this browser: the API has no place for a person's views. */
export function SavedViews({ filters, onChange }: { filters: RunFilters; onChange: (filters: RunFilters) => void }) {
  const [views, setViews] = useState(readViews)
  const [naming, setNaming] = useState<string>()
  const keep = (next: View[]) => {
    localStorage.setItem(storageKey, JSON.stringify(next))
    setViews(next)
  }
  return (
    <>
      <Menu trigger={<Button>Views</Button>}>
        {given.map((view) => (
          <MenuItem key={view.name} onSelect={() => onChange(view.filters)}>
            {view.name}
          </MenuItem>
        ))}
        {views.length > 0 && <MenuLabel>Saved here</MenuLabel>}
        {views.map((view) => (
          <MenuItem key={view.name} onSelect={() => onChange(view.filters)}>
            {view.name}
          </MenuItem>
        ))}
        <MenuLine />
        <MenuItem disabled={Object.keys(filters).length === 0} onSelect={() => setNaming('')}>
          Save these filters…
        </MenuItem>
        {views.length > 0 && <MenuItem onSelect={() => keep([])}>Forget saved views</MenuItem>}
      </Menu>
      {naming !== undefined && (
        <Dialog title="Save these filters" onClose={() => setNaming(undefined)}>
          <form
            onSubmit={(event) => {
              event.preventDefault()
              keep([...views.filter(({ name }) => name !== naming), { name: naming, filters }])
              setNaming(undefined)
            }}
          >
            <TextField
              label="Name"
              required
              maxLength={60}
              value={naming}
              onChange={(event) => setNaming(event.target.value)}
            />
            <div className="dialog-actions">
              <Button type="submit" look="primary">
                Save
              </Button>
            </div>
          </form>
        </Dialog>
      )}
    </>
  )
}
