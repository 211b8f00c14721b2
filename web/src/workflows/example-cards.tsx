import { Link } from '@tanstack/react-router'
import { useApi, useMay } from '../api/use-api'
import { Button } from '../ui/button'
import { examples } from './examples'
import { useExample } from './use-example'
import './workflows.css'

/** What an empty project offers first. */
export function ExampleCards() {
  const { project } = useApi()
  const may = useMay('editor')
  const start = useExample()
  return (
    <>
      <div className="examples">
        {examples.map((example) => (
          <section key={example.name} className="card example">
            <h3>{example.title}</h3>
            <p className="muted">{example.what}</p>
            <div className="example-actions">
              <Button
                look="primary"
                icon="play"
                disabled={!may}
                busy={start.isPending}
                onClick={() => start.mutate(example)}
              >
                Create and run
              </Button>
              <Link
                className="button button-quiet"
                to="/p/$project/workflows/new"
                params={{ project }}
                search={{ example: example.name }}
              >
                Open in the editor
              </Link>
            </div>
          </section>
        ))}
      </div>
      {!may && <p className="muted examples-note">You need the role editor to create workflows.</p>}
    </>
  )
}
