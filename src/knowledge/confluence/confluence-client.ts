import type { ConnectionContext } from '../../connections/connector-registry.service.js';
import type { SourceAccount, SourceQuota } from '../../connections/knowledge-source.port.js';
import { SourceRequestError } from '../source-kit/source-request.error.js';
import type { CommentCensus } from './comment-census.js';
import type { ConfluenceContent, ConfluenceSpace, ContentType, ReadRestriction } from './confluence-schemas.js';
import type { SpaceReaders } from './space-readers.js';

export interface ConfluenceClientOptions {
  quota?: (status: SourceQuota) => void;
  /** A person waits for the response. */
  isInteractive?: boolean;
}

export type ConnectConfluence = (context: ConnectionContext, options?: ConfluenceClientOptions) => ConfluenceClient;

export interface NewDraft {
  space: ConfluenceSpace;
  title: string;
  storage: string;
  parentId: string | undefined;
}

/**
 * Confluence Cloud or Confluence Data Center, in the terms of Confluence Cloud. The ids of accounts and groups are those
 * of the product.
 */
export interface ConfluenceClient {
  /** The address of Confluence in the browser, without a slash at the end. */
  readonly address: string;
  readonly bodiesPerRead: number;

  /** Throws if the credential is invalid. Some endpoints treat such requests as anonymous instead of rejecting them. */
  assertSignedIn(): Promise<void>;
  spaces(): AsyncGenerator<ConfluenceSpace[]>;
  spaceByKey(key: string): Promise<ConfluenceSpace | null>;
  spaceAddress(space: ConfluenceSpace): string;

  /** All pages or blog posts of a space, without their texts. */
  contents(space: ConfluenceSpace, type: ContentType): AsyncGenerator<ConfluenceContent[]>;
  /** Pages or blog posts with their texts. */
  bodies(type: ContentType, ids: readonly string[]): Promise<Map<string, ConfluenceContent>>;
  page(id: string): Promise<ConfluenceContent>;
  /** A parent that is not a page: a folder, whiteboard, database or embed. */
  container(type: string, id: string): Promise<Pick<ConfluenceContent, 'id' | 'parentId' | 'parentType'>>;
  /** The number of pages and blog posts in the search index, which may lag. */
  count(spaceKeys: readonly string[]): Promise<number>;
  /** The versions of all comments. */
  comments(spaces: readonly ConfluenceSpace[]): Promise<CommentCensus>;
  /** The names of those accounts that contents and comments do not name. */
  names(accountIds: readonly string[]): Promise<Map<string, string | null>>;

  spaceReaders(space: ConfluenceSpace): Promise<SpaceReaders>;
  /** Why the permissions of a space cannot be read, and the solution. Null: they can. */
  permissionsProblem(space: ConfluenceSpace): Promise<string | null>;
  /** The restrictions of pages, without those of their ancestors. Pages that the search index lacks are missing. */
  restrictions(ids: readonly string[]): Promise<Map<string, ReadRestriction>>;
  restriction(id: string): Promise<ReadRestriction>;
  /** Active people. */
  accounts(ids: readonly string[]): AsyncGenerator<SourceAccount[]>;
  groupMembers(groupId: string): AsyncGenerator<string[]>;

  createDraft(draft: NewDraft): Promise<{ id: string; url: string }>;
}

export const mostPerRestrictionRead = 50;
export const restrictionLists = 'restrictions.user,restrictions.group';
export const expandedRestrictions = 'restrictions.read.restrictions.user,restrictions.read.restrictions.group';

export const countQuery = (spaceKeys: readonly string[]): string =>
  `type in (page, blogpost) and space in (${quoted(spaceKeys)})`;

export const quoted = (keys: readonly string[]): string => keys.map((key) => JSON.stringify(key)).join(', ');

export const unreadableList = (message: string) => new SourceRequestError('unreadable', message, null, true);
