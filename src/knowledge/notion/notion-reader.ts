import { UnreadableDocument } from '../../connections/connections.error.js';
import type { SourceDocument } from '../../connections/knowledge-source.port.js';
import { toSingleLine } from '../../platform/text/quote-external-text.js';
import { isSourceFault } from '../source-kit/source-request.error.js';
import { composeThread } from '../source-kit/thread-text.js';
import type { NotionApi } from './notion-api.js';
import { NotionPageText } from './notion-blocks.js';
import { markdownOf, plainText, propertyText, richTextIn } from './notion-text.js';
import {
  notionBot,
  notionComment,
  notionDataSource,
  notionPage,
  notionParentBlock,
  notionUser,
  type NotionDataSource,
  type NotionItem,
  type NotionPage,
  type NotionParent,
} from './notion-wire.js';

/** Notion rounds times down to the minute, so a page can change again without a new time. */
const settledAfterMs = 2 * 60_000;
const maxBlockParents = 10;

export const notionDocumentId = ({ object, id }: Pick<NotionItem, 'object' | 'id'>): string => `${object}/${id}`;
export const isTrashed = ({ in_trash: inTrash, archived }: NotionItem): boolean => Boolean(inTrash || archived);

/** Converts pages and data sources to documents. Names of people and parents are read once per pass. */
export class NotionReader {
  private readonly containers = new Map<string, Promise<string | undefined>>();
  private readonly parents: NotionItem[] = [];
  private workspaceName?: Promise<string | undefined>;
  private people?: Promise<Map<string, string>>;
  private canReadComments = true;

  constructor(private readonly api: NotionApi) {}

  /** Avoids a request for the title of this item if it is the parent of others. */
  remember(item: NotionItem): void {
    this.containers.set(notionDocumentId(item), Promise.resolve(titleOf(item)));
  }

  /** The parents that were read since the last call, because no list contained them so far. */
  takeParents(): NotionItem[] {
    return this.parents.splice(0);
  }

  async document(item: NotionItem): Promise<SourceDocument> {
    const editedAt = new Date(item.last_edited_time);
    const isSettled = Date.now() - editedAt.getTime() > settledAfterMs;
    const parent = item.object === 'data_source' ? (item.database_parent ?? item.parent) : item.parent;
    const [people, container] = await Promise.all([this.peopleById(), this.containerOf(parent)]);
    return {
      externalId: notionDocumentId(item),
      kind: 'doc',
      title: titleOf(item),
      author: people.get(item.created_by?.id ?? ''),
      container,
      url: item.url && /^https?:\/\//.test(item.url) && URL.canParse(item.url) ? item.url : undefined,
      updatedAt: editedAt,
      mediaType: 'text/markdown',
      content: item.object === 'page' ? () => this.pageText(item, people).catch(refuseGone) : dataSourceText(item),
      fingerprint: `1 ${item.last_edited_time}${isSettled ? '' : ' unsettled'}`,
    };
  }

  private async pageText(page: NotionPage, people: Map<string, string>): Promise<string> {
    const body = await new NotionPageText(this.api).read(page.id);
    const comments = await this.comments(page.id);
    return composeThread({
      title: titleOf(page),
      facts: Object.entries(page.properties).map(([name, property]) => [toSingleLine(name), propertyText(property)]),
      body,
      entries: comments.map(({ created_by: author, created_time: at, rich_text: text }) => ({
        label: 'Comment',
        author: author && (people.get(author.id) ?? 'a person without a visible name'),
        at: new Date(at),
        text: markdownOf(text),
      })),
    });
  }

  /** The open comments on the page. Reading comments is optional for the integration. */
  private async comments(pageId: string) {
    if (!this.canReadComments) return [];
    try {
      return await this.api.all({ path: '/v1/comments', query: { block_id: pageId } }, notionComment);
    } catch (error) {
      if (!isSourceFault(error, 'forbidden')) throw error;
      this.canReadComments = false;
      return [];
    }
  }

  /** Empty if the integration may not read user information. Guests are never listed. */
  private peopleById(): Promise<Map<string, string>> {
    return (this.people ??= this.readPeople());
  }

  private async readPeople(): Promise<Map<string, string>> {
    try {
      const users = await this.api.all({ path: '/v1/users' }, notionUser);
      return new Map(users.flatMap(({ id, name }) => (name ? [[id, toSingleLine(name)]] : [])));
    } catch (error) {
      if (isSourceFault(error, 'forbidden')) return new Map();
      throw error;
    }
  }

  private async containerOf(parent: NotionParent): Promise<string | undefined> {
    let at = parent;
    // pages can be inside columns, toggles and other blocks
    for (let level = 0; at.type === 'block_id' && at.block_id; level++) {
      const block = await this.found(this.api.get(`/v1/blocks/${at.block_id}`, notionParentBlock));
      if (!block || level === maxBlockParents) return undefined;
      at = block.parent;
    }
    const { type, page_id: page, data_source_id: source } = at;
    if (type === 'workspace') return (this.workspaceName ??= this.readWorkspaceName());
    if (type === 'page_id' && page)
      return this.titleBy(`page/${page}`, () => this.api.get(`/v1/pages/${page}`, notionPage));
    if (type === 'data_source_id' && source)
      return this.titleBy(`data_source/${source}`, () => this.api.get(`/v1/data_sources/${source}`, notionDataSource));
    return undefined;
  }

  private titleBy(key: string, read: () => Promise<NotionItem>): Promise<string | undefined> {
    const title = this.containers.get(key) ?? this.readTitle(read);
    this.containers.set(key, title);
    return title;
  }

  private async readTitle(read: () => Promise<NotionItem>): Promise<string | undefined> {
    const item = await this.found(read());
    if (!item) return undefined;
    this.parents.push(item);
    return titleOf(item);
  }

  private async readWorkspaceName(): Promise<string | undefined> {
    const { bot } = await this.api.get('/v1/users/me', notionBot);
    return toSingleLine(bot?.workspace_name ?? '') || undefined;
  }

  /** Null for a parent that is not shared with the integration. */
  private async found<T>(request: Promise<T>): Promise<T | null> {
    try {
      return await request;
    } catch (error) {
      if (isSourceFault(error, 'missing', 'forbidden')) return null;
      throw error;
    }
  }
}

/** Search lists pages for some time after they were removed. */
function refuseGone(error: unknown): never {
  if (isSourceFault(error, 'missing'))
    throw new UnreadableDocument('was deleted, or is no longer shared with the integration');
  throw error;
}

function titleOf(item: NotionItem): string {
  const parts =
    item.object === 'data_source'
      ? item.title
      : richTextIn(Object.values(item.properties).find(({ type }) => type === 'title')?.title);
  return toSingleLine(plainText(parts)) || 'Untitled';
}

function dataSourceText(source: NotionDataSource): string {
  return composeThread({
    title: titleOf(source),
    facts: [['Properties', Object.keys(source.properties).join(', ')]],
    body: markdownOf(source.description ?? []),
  });
}
