import { expect, test } from 'vitest'
import { mergeMetrics } from './merge-metrics.js'

const edge = `# HELP requests_total Requests
# TYPE requests_total counter
requests_total{route="GET /a b{c}",status="200"} 3

# HELP heap_bytes Heap
# TYPE heap_bytes gauge
heap_bytes 5
`
const core = `# HELP heap_bytes Heap
# TYPE heap_bytes gauge
heap_bytes 7
`

test('samples carry the name of their process, and each family stands once', () => {
  const text = mergeMetrics([
    { process: 'edge', text: edge },
    { process: 'core', text: core },
    { process: 'records', text: undefined },
  ])
  expect(text).toContain('requests_total{process="edge",route="GET /a b{c}",status="200"} 3\n')
  expect(text).toContain(
    '# HELP heap_bytes Heap\n# TYPE heap_bytes gauge\nheap_bytes{process="edge"} 5\nheap_bytes{process="core"} 7\n',
  )
  expect(text.match(/# TYPE heap_bytes/g)).toHaveLength(1)
  expect(text).toContain(
    'process_up{process="edge"} 1\nprocess_up{process="core"} 1\nprocess_up{process="records"} 0\n',
  )
})
