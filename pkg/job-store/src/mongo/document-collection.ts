import { unavailable } from '@millrace/errors'
import type { AnyBulkWriteOperation, Collection, MatchKeysAndValues } from 'mongodb'
import type { Listing } from '../domain/listing.js'
import { isDuplicateKey } from './mongo-error.js'
import type { Turnstile } from './turnstile.js'

/**
 * A document is a set that only grows: `pieces` holds each fact heard, under a key of its own, as JSON text (users' texts
 * and names of labels must not become field names). `view` is what lists need, made from the pieces.
 */
export interface StoredDocument {
  _id: string
  projectId: string
  runId?: string
  workflow?: string
  version?: number
  pieces: Record<string, string>
  /** Of the highest sequence heard; the sequence stands first, because `$max` compares field by field. */
  identity?: { sequence: number; fields: string }
  /** Of the lowest. */
  trace?: { sequence: number; traceId: string }
  /** `count` stands first: of two views the one made from more pieces stays. */
  view?: { count: number } & Listing
}

/** What one batch adds to one document. */
export interface Addition {
  fixed: Partial<StoredDocument>
  pieces: Record<string, string>
  identity?: NonNullable<StoredDocument['identity']>
  trace?: NonNullable<StoredDocument['trace']>
}

export interface MongoKind<F extends { id: string }> {
  merge(a: F, b: F): F
  additionOf(facts: F): Addition
  unpack(document: StoredDocument): F
  list(facts: F): Listing
}

type Update = AnyBulkWriteOperation<StoredDocument>

const MAX_TRIES = 5
/**
 * Of one command. FerretDB 1.24 keeps one of its hundred connections to SQLite for each update until the command ends:
 * a hundred updates in one would wait for ever for one more, and everybody else with them.
 */
const MAX_UPDATES = 25
/** Up to so many are read one by one: FerretDB finds a single id by its index, and several by reading the collection. */
const MAX_SINGLE_READS = 100

/**
 * Adds facts to documents without a lock or a compare: pieces are set under their own keys, so two writers at once, any
 * order and any repetition end in the same set. Each writer then makes the view from what it reads back; snapshots of a
 * set that only grows are ordered by their size, so `$max` keeps the newest view whoever writes last. A writer that dies
 * between the two leaves an old view until its events are delivered again, as they are, for its offset did not move.
 */
export class DocumentCollection<F extends { id: string }> {
  constructor(
    private readonly documents: Collection<StoredDocument>,
    private readonly kind: MongoKind<F>,
    private readonly turnstile: Turnstile,
  ) {}

  async mergeAll(news: F[]): Promise<void> {
    if (news.length === 0) return
    const combined = this.combine(news)
    await this.write(combined.map((facts) => addTo(facts.id, this.kind.additionOf(facts))))
    const ids = combined.map((facts) => facts.id)
    const stored = await this.read(ids)
    await this.write(stored.map((document) => this.refreshView(document)))
  }

  private async read(ids: string[]): Promise<StoredDocument[]> {
    if (ids.length > MAX_SINGLE_READS) return await this.documents.find({ _id: { $in: ids } }).toArray()
    const found = await Promise.all(ids.map((_id) => this.documents.findOne({ _id })))
    return found.filter((document) => document !== null)
  }

  private combine(news: F[]): F[] {
    const byId = new Map<string, F>()
    for (const facts of news) {
      const other = byId.get(facts.id)
      byId.set(facts.id, other === undefined ? facts : this.kind.merge(other, facts))
    }
    return [...byId.values()]
  }

  private refreshView(document: StoredDocument): Update {
    const listing = this.kind.list(this.kind.unpack(document))
    const view = { count: Object.keys(document.pieces).length, ...listing }
    return { updateOne: { filter: { _id: document._id }, update: { $max: { view } } } }
  }

  private async write(updates: Update[]): Promise<void> {
    const commands: Promise<void>[] = []
    for (let start = 0; start < updates.length; start += MAX_UPDATES) {
      const part = updates.slice(start, start + MAX_UPDATES)
      commands.push(this.turnstile.run(() => this.writeCommand(part)))
    }
    await Promise.all(commands)
  }

  /** Two writers that both make a document may collide on its id: the next attempt finds it made. */
  private async writeCommand(updates: Update[]): Promise<void> {
    for (let attempt = 0; attempt < MAX_TRIES; attempt += 1) {
      try {
        await this.documents.bulkWrite(updates, { ordered: false })
        return
      } catch (error) {
        if (!isDuplicateKey(error)) throw error
      }
    }
    throw unavailable('job_store_contended', `${this.documents.collectionName}: too many writers at once`)
  }
}

function addTo(id: string, { fixed, pieces, identity, trace }: Addition): Update {
  const entries = Object.entries(pieces).map(([key, text]) => [`pieces.${key}`, text])
  return {
    updateOne: {
      filter: { _id: id },
      update: {
        $setOnInsert: fixed as MatchKeysAndValues<StoredDocument>,
        $set: Object.fromEntries(entries) as MatchKeysAndValues<StoredDocument>,
        ...(identity !== undefined && { $max: { identity } }),
        ...(trace !== undefined && { $min: { trace } }),
      },
      upsert: true,
    },
  }
}
