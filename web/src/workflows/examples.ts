/** Three workflows to begin with. Each needs nothing but Millrace itself. */
export interface Example {
  name: string
  title: string
  what: string
  yaml: string
  /** What its first run is given. */
  input: Record<string, unknown>
}

export const examples: readonly Example[] = [
  {
    name: 'hello',
    title: 'Hello',
    input: { name: 'world' },
    what: 'Two tasks, one after the other: an input, an expression, an output.',
    yaml: `name: hello
description: Greets whoever is named in the input
input:
  type: object
  properties:
    name: { type: string, default: world, description: Whom to greet }
output: { greeting: "\${{ tasks.greet.output }}" }
tasks:
  greet:
    uses: transform
    with: { value: "Hello, \${{ input.name }}!" }
  rest:
    needs: [greet]
    uses: sleep
    with: { duration: 2s }
`,
  },
  {
    name: 'fan-out',
    title: 'Fan out and join',
    input: {},
    what: 'One task for each item of a list, a few at a time, then a summary.',
    yaml: `name: fan-out
description: Works on 40 items, ten at a time, and joins the results
tasks:
  plan:
    uses: transform
    with: { value: "\${{ [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40] }}" }
  work:
    needs: [plan]
    uses: map
    with:
      items: "\${{ tasks.plan.output }}"
      maxParallel: 10
      task: { uses: sleep, with: { duration: 500ms } }
  summary:
    needs: [work]
    uses: transform
    with: { value: "\${{ size(tasks.work.output) }}" }
`,
  },
  {
    name: 'retry-and-approve',
    title: 'Retry, then ask',
    input: {},
    what: 'A task that fails twice and is retried, then an approval before the last step.',
    yaml: `name: retry-and-approve
description: Retries a flaky call, waits for a person, then goes on
tasks:
  flaky:
    uses: fail
    with: { times: 2, class: network, message: connection reset by peer }
    retry: { maxAttempts: 5, backoff: exponential, delay: 1s, jitter: none }
  sign-off:
    needs: [flaky]
    uses: approval
    with: { message: The flaky call came through. Go on?, role: operator }
    timeout: 24h
  done:
    needs: [sign-off]
    uses: noop
    with: { output: { shipped: true } }
`,
  },
]
