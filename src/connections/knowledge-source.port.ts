import type { JsonObject } from '../platform/json/strict-json.js';
import type { ConnectionContext } from './connection-context.port.js';

/** The maximum length of `checkpoint`'s progress as JSON. */
export const maxProgressLength = 2 * 2 ** 20;

export interface SourceDocument {
  externalId: string;
  kind: 'code' | 'ticket' | 'doc' | 'message';
  title: string;
  author?: string;
  url?: string;
  /** The URL contains the version, such as a commit. A new URL alone does not mark the document as changed. */
  isUrlPinned?: boolean;
  /** The title of the repository, project, space or channel. */
  container?: string;
  /** The position in a larger document: a path, a page. */
  position?: string;
  updatedAt?: Date;
  mediaType: string;
  /**
   * A function if reading is expensive; it is called only if `fingerprint` is new. `UnreadableDocument` skips this
   * document. Any other error aborts the sync, which is retried.
   */
  content: string | Uint8Array | (() => Promise<string | Uint8Array>);
  /** Groups that may read it; null or absent: everyone whose configuration includes the connection. */
  groups?: string[] | null;
  /**
   * The id of a `SourceAudience`: only its readers may read the document. An audience that is missing from the roster
   * grants no access. Connectors with a `roster` set it for every document.
   */
  audience?: string;
  /** Equal fingerprints mean that the document has not changed. */
  fingerprint: string;
}

/** A document that was deleted in the source, or that the credential may no longer read. */
export interface RemovedDocument {
  removed: string;
}

export interface DocumentsContext extends ConnectionContext {
  /** Reports a document that cannot be read. */
  skipped(externalId: string, reason: string): void;
  /** The last `checkpoint` of the interrupted pass that continues; null for a new pass. */
  readonly progress: JsonObject | null;
  /**
   * Resolves when everything yielded so far is stored. If the pass is interrupted later, the next run continues from
   * this progress. Documents yielded before count as seen and need not be yielded again.
   */
  checkpoint(progress: JsonObject): Promise<void>;
  /**
   * The cursor of the last complete pass with the same settings. `documents` can use it to request only changed content.
   */
  readonly cursor: JsonObject | null;
  /** Sets where `changes` starts after this pass. Stored when the pass completes. */
  setCursor(cursor: JsonObject): void;
  /** Reports the number of documents in the source, for the progress estimate. */
  expects(count: number): void;
  /** Reports the rate limit of the source. */
  quota(status: SourceQuota): void;
}

export interface ChangesContext extends DocumentsContext {
  readonly cursor: JsonObject;
  /**
   * The hints of webhooks since the last pass, in order. When a pass continues after an interruption, they include
   * newer ones. All are deleted when the pass completes.
   */
  readonly hints: readonly JsonObject[];
}

export interface SourceQuota {
  limit: number;
  remaining: number;
  resetAt: Date;
}

/** An entry of a roster. The order of entries does not matter. */
export type RosterEntry = { account: SourceAccount } | { group: SourceGroup } | { audience: SourceAudience };

/** A user account of the source. */
export interface SourceAccount {
  /** Immutable and never reused for another person, unlike a login or an email address. */
  id: string;
  name: string;
  /** Only if the source has verified it. The account then belongs to the member with this address. */
  email?: string;
}

/** A team or group of the source. Includes the members of its subgroups. */
export interface SourceGroup {
  id: string;
  accounts: readonly string[];
}

/** The readers of a repository, a channel, or a space with its restrictions. */
export interface SourceAudience {
  /** Host and immutable id, for example "github.com/repositories/1296269". At most 300 characters. */
  id: string;
  /** The name that people know, for example "acme/billing". */
  title: string;
  /** The page in the source that shows the readers. */
  url?: string;
  /** The rule in one sentence, for example "Private repository: its collaborators, with teams and organization owners." */
  rule: string;
  /**
   * `everyone`: all members whose configuration includes the connection. `unreadable`: the source does not disclose the
   * readers, so no one gets access. Sets: the accounts that are in every set.
   */
  readers: 'everyone' | 'unreadable' | readonly ReaderSet[];
}

/** The union of accounts and groups. An empty set has no readers. */
export interface ReaderSet {
  accounts?: readonly string[];
  groups?: readonly string[];
}

/** A repository, project, space or channel. The setting `containers` stores the selected ids. */
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
  /** The raw bytes, at most 1 MiB. */
  body: Buffer;
}

export interface SourceNotification {
  /** Identifies the delivery. A repeated delivery has no effect. */
  id: string;
  /**
   * Passed to `changes`, which starts early. Empty: documents changed, but it is unknown which. Null: no document
   * changed.
   */
  hints: readonly JsonObject[] | null;
  /** Permissions may have changed, so the roster is read again soon. */
  isRosterStale?: boolean;
  /** The body of the response, if the source expects one. */
  reply?: JsonObject;
  /**
   * The secret of later webhooks, sent by the source itself. It is shown to administrators, who confirm it in the source
   * and enter it in the connection. Set it also for a request that nobody signed.
   */
  offeredToken?: string;
}
