import type { JobStore } from '@millrace/job-store'
import type { FollowConfig } from '../config.js'
import { RunFeed } from './run-feed.js'
import type { RunHints } from './run-hints.js'

/** The feeds of the runs that are followed here; one lives as long as it has followers. */
export class RunFeeds {
  private readonly feeds = new Map<string, RunFeed>()

  constructor(
    private readonly store: Pick<JobStore, 'tailLogs' | 'skipLogs'>,
    private readonly hints: RunHints,
    private readonly config: FollowConfig,
  ) {}

  async follow(projectId: string, runId: string, use: (feed: RunFeed) => Promise<void>): Promise<void> {
    const key = `${projectId}/${runId}`
    const feed = this.open(key, projectId, runId)
    feed.followers += 1
    try {
      await use(feed)
    } finally {
      feed.followers -= 1
      if (feed.followers === 0) {
        feed.close()
        if (this.feeds.get(key) === feed) this.feeds.delete(key)
      }
    }
  }

  /** One that failed fails those who follow it; who comes next gets another. */
  private open(key: string, projectId: string, runId: string): RunFeed {
    const known = this.feeds.get(key)
    if (known !== undefined && !known.failed) return known
    const { store, config } = this
    const feed = new RunFeed({ store, run: { projectId, runId }, listener: this.hints.listen(runId), config })
    this.feeds.set(key, feed)
    return feed
  }
}
