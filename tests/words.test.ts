import { readdir, readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'

const root = new URL('../', import.meta.url)

/**
 * Identifiers that were replaced by the field's own words, and what to say instead: see docs/glossary.md. Matched as a
 * whole word, or as the whole name of a file.
 */
const retired: Readonly<Record<string, string>> = {
  BirthFacts: 'NewRunFacts',
  births: 'create-runs, runCreator',
  RunBirths: 'RunCreator',
  createRunBirths: 'createRunCreator',
  planBirth: 'planRun',
  birthMetrics: 'newRunMetrics',
  born: 'created',
  Draft: 'Transition (of a decision), WorkflowDraft (of a definition)',
  bury: 'insertDeadLetter',
  buried: 'update_tombstones',
  spoilt: 'failed_item',
  unbornRun: 'initialRun',
  defaultsAtBirth: 'defaultsForNewRun',
  Lane: 'Shard',
  LaneItem: 'ShardItem',
  LaneOutcome: 'ShardOutcome',
  lanes: 'shards',
  MILLRACE_SCHEDULER_LANES: 'MILLRACE_SCHEDULER_SHARDS',
  ChildRound: 'ItemBatchAttempt',
  goCold: 'decideLocked',
  'cold-road': 'locked-path',
  sortOut: 'resolveConflicts',
  lostRuns: 'writeConflicts',
  millrace_scheduler_lost_runs_total: 'millrace_scheduler_write_conflicts_total',
  QueueLook: 'QueuePoll',
  lookIntoQueue: 'pollQueue',
  mailbox: 'pending leases',
  mailboxes: 'pendingLeases',
  hungry: 'idle',
  Doorbell: 'ScheduledHints',
  eventsRoad: 'brokerParts',
  rung: 'hinted',
  wish: 'requestedState',
  ControlBoard: 'SettingsCache',
  Courier: 'CancelPoller',
  verdictOf: 'outcomeOf',
  LineTerms: 'AdmissionTerms',
  LineVerdict: 'AdmissionDecision',
  isHeldBack: 'isBlocked',
  HeldBackRow: 'DeferredRow',
  releaseHeldBack: 'releaseDeferred',
  LetterView: 'DeadLetterView',
  letter_not_open: 'dead_letter_not_open',
  letter_not_found: 'dead_letter_not_found',
  onTaskClaims: 'onTaskResults',
  claimSource: 'reportSource',
  beatPulse: 'recordLiveness',
  orphans: 'abandonedRuns',
  recordDeed: 'recordChange',
  reportsByCall: 'reportsByPoll',
  noPick: 'noDequeue',
  pickOf: 'dequeueOf',
  pickParameters: 'dequeueParameters',
  Standings: 'VirtualTimes',
  standings: 'virtualTimes',
  SessionStanding: 'SessionState',
  findStandingTimers: 'findExistingTimers',
  ChildCall: 'ChildRunRequest',
  ChildCalls: 'ChildRunRequests',
  claimChildCall: 'claimChildRequest',
  postponeCall: 'postponeChildRequest',
  childPlace: 'itemPlace',
  childIdParts: 'itemIdParts',
  ChildCopy: 'ItemCopy',
  'child-id': 'item-id',
  doorbell: 'scheduled hints',
  startDoorbell: 'hearScheduledHints',
  unbornPollMs: 'requestPollMs',
  sayGoodBye: 'deregister',
  claimsTotal: 'resultsTotal',
  Reign: 'Leadership',
  OutboxFloor: 'LowWaterMark',
  'outbox-floor': 'low-water-mark',
  Road: 'ResultTransport',
  Roads: 'TransportHarness',
  MAX_ROUNDS: 'MAX_TRIES',
  millrace_scheduler_map_children_made_total: 'millrace_scheduler_map_items_made_total',
  millrace_scheduler_map_children_moved_total: 'millrace_scheduler_map_items_changed_total',
  millrace_scheduler_map_children_ended_total: 'millrace_scheduler_map_items_ended_total',
  millrace_scheduler_map_child_batch: 'millrace_scheduler_map_item_batch',
  millrace_scheduler_child_calls_total: 'millrace_scheduler_child_run_requests_total',
  TickNews: 'TickResult',
  ChildNews: 'ChildCommand',
  childNews: 'decideChild',
  isChildNews: 'isChildCommand',
  newsOf: 'resultsOf',
  lookAgain: 'recheck',
  fullLook: 'recheckAll',
  takeFullLook: 'takeRecheckAll',
  leaveLine: 'leaveAdmissionQueue',
  inLine: 'isWaiting',
  placesInLine: 'admissionsOf',
  tellLateRuns: 'publishLateRuns',
  lookEverywhere: 'askForRecheck',
  'tell-late-runs': 'publish-late-runs',
  'read-line': 'read-admissions',
  'write-line-verdict': 'write-admission-decision',
  'place-in-line': 'place-in-admission-queue',
  'beat-pulse': 'record-liveness',
}

const places = ['proto', 'pkg', 'infra', 'bench', 'tests', 'web/src', 'services']

/** Where a word is the field's own: of mail. */
const allowed: Readonly<Record<string, RegExp>> = { mailbox: /^(services\/(iam|notification)|tests|web)\// }

async function filesIn(folder: string): Promise<string[]> {
  const found = await readdir(new URL(`${folder}/`, root), { recursive: true })
  const isSource = (name: string) => /\.(tsx?|mjs|proto|sql)$/.test(name) && !/(^|\/)(dist|node_modules)\//.test(name)
  return found.filter(isSource).map((name) => `${folder}/${name}`)
}

const word = new RegExp(`(?<![\\w-])(${Object.keys(retired).join('|')})(?![\\w-])`, 'g')

/** Where a retired word stands, and what to say instead. */
function findings(path: string, text: string): string[] {
  const name =
    path
      .split('/')
      .at(-1)
      ?.replace(/\.\w+$/, '') ?? ''
  const isRetired = (text: string) => retired[text] !== undefined && !allowed[text]?.test(path)
  const inName = isRetired(name) ? [`${path}: is named ${name}, say ${retired[name]}`] : []
  const inText = text.split('\n').flatMap((line, index) => {
    const words = [...line.matchAll(word)].map(([found]) => found).filter(isRetired)
    return words.map((found) => `${path}:${index + 1}: ${found}, say ${retired[found]}`)
  })
  return [...inName, ...inText]
}

test('no retired identifier is in use', async () => {
  const found = (await Promise.all(places.map(filesIn))).flat()
  const paths = found.filter((path) => path !== 'tests/words.test.ts')
  expect(paths.length).toBeGreaterThan(1000)
  const all = await Promise.all(paths.map(async (path) => findings(path, await readFile(new URL(path, root), 'utf8'))))
  expect(all.flat()).toEqual([])
})

test('a retired identifier would be found, in a text and as a name', () => {
  expect(findings('a.ts', 'const x: LaneItem = new Lane()\nconst rungs = explanation')).toEqual([
    'a.ts:1: LaneItem, say ShardItem',
    'a.ts:1: Lane, say Shard',
  ])
  expect(findings('src/cold-road.ts', '')).toHaveLength(1)
})
