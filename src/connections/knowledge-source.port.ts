import type { JsonObject } from '../platform/json/strict-json.js';
import type { ConnectionContext } from './connection-context.port.js';

export interface SourceDocument {
  externalId: string;
  kind: 'code' | 'ticket' | 'doc' | 'message';
  title: string;
  author?: string;
  url?: string;
  /** The URL names this version. A new URL alone does not make the document a changed one. */
  isUrlPinned?: boolean;
  /** The title of the repository, project, space or channel. */
  container?: string;
  /** Its position in a larger document: a path, a page. */
  position?: string;
  updatedAt?: Date;
  mediaType: string;
  /**
   * A function if reading is expensive; it is called only if `fingerprint` is new. `UnreadableDocument` skips this
   * document; any other error aborts the sync, which is retried.
   */
  content: string | Uint8Array | (() => Promise<string | Uint8Array>);
  /** Groups that may read it; null or absent: everyone whose configuration includes the connection. */
  groups?: string[] | null;
  /**
   * The id of a `SourceAudience`: only its people may read the document. An audience that no roster has listed opens
   * nothing. Connectors with a `roster` name one for every document.
   */
  audience?: string;
  /** Equal fingerprints mean that the document has not changed. */
  fingerprint: string;
}

/** A document that the source no longer has, or that the credential may no longer read. */
export interface RemovedDocument {
  removed: string;
}

export interface DocumentsContext extends ConnectionContext {
  /** Reports a document that cannot be read. */
  skipped(externalId: string, reason: string): void;
  /** What an interrupted pass passed to `checkpoint` last; null at the beginning of a pass. */
  readonly progress: JsonObject | null;
  /**
   * Resolves when everything yielded so far is stored. If the pass is interrupted later, the next one begins with this
   * progress and need not yield those documents again: they count as seen.
   */
  checkpoint(progress: JsonObject): Promise<void>;
  /** Where `changes` begins after this pass. Stored when the pass is complete. */
  keepCursor(cursor: JsonObject): void;
  /** How many documents the source says it has, for the estimate of progress. */
  expects(count: number): void;
  /** What is left of the source's rate limit. */
  quota(status: SourceQuota): void;
}

export interface ChangesContext extends DocumentsContext {
  readonly cursor: JsonObject;
  /** What webhooks reported since, in order, from `SourceNews.hints`. */
  readonly hints: readonly JsonObject[];
}

export interface SourceQuota {
  limit: number;
  remaining: number;
  resetAt: Date;
}

/** One piece of a roster, in any order. */
export type RosterEntry = { account: SourceAccount } | { group: SourceGroup } | { audience: SourceAudience };

/** A person of the source. */
export interface SourceAccount {
  /** Never changes and is never given to another person: no login, no e-mail address. */
  id: string;
  name: string;
  /** Only an address that the source has verified. Joins the account to the member with this address. */
  email?: string;
}

/** A team or group of the source, with the members of its subgroups. */
export interface SourceGroup {
  id: string;
  accounts: readonly string[];
}

/** Who may read a repository, a space with its restrictions, or a channel in the source. */
export interface SourceAudience {
  /** Host and immutable id, for example "github.com/repositories/1296269". At most 300 characters. */
  id: string;
  /** How people know it: "acme/billing". */
  title: string;
  /** Where a person can check it in the source. */
  url?: string;
  /** The rule in one sentence, for example "Private repository: its collaborators, with teams and organization owners." */
  rule: string;
  /**
   * `everyone`: all members whose configuration includes the connection. `unreadable`: the source does not tell, which
   * opens nothing. Otherwise the people who are in every one of the sets.
   */
  readers: 'everyone' | 'unreadable' | readonly ReaderSet[];
}

/** The union of accounts and groups. An empty set contains nobody. */
export interface ReaderSet {
  accounts?: readonly string[];
  groups?: readonly string[];
}

/** A repository, project, space or channel. Chosen ids are stored in the setting `containers`. */
export interface SourceContainer {
  id: string;
  title: string;
  /** "private", "archived", "1,204 pages" */
  note?: string;
}

/** A request to the webhook address of a connection. */
export interface SourceDelivery {
  /** Names are in lower case. */
  headers: Readonly<Record<string, string | undefined>>;
  /** The bytes that were sent, at most 1 MiB. */
  body: Buffer;
}

export interface SourceNews {
  /** Identifies the delivery. A delivery that was received before has no effect. */
  id: string;
  /** Passed to the next `changes`, which starts early. Empty: something changed. Null: no document changed. */
  hints: readonly JsonObject[] | null;
  /** Permissions may have changed: the roster is read again at once. */
  isRosterStale?: boolean;
  /** The body of the answer, if the source expects one. */
  reply?: JsonObject;
}
