import { randomUUID } from 'node:crypto';

export type NotionObject = Record<string, unknown>;

export interface StoredNotionItem {
  id: string;
  object: 'page' | 'data_source';
  parent: NotionObject;
  title: string;
  properties: NotionObject;
  description: string;
  editedAt: number;
  author: string;
  isTrashed: boolean;
  /** Shared with the integration here. Pages below are shared too. */
  isShared: boolean;
}

export interface StoredBlock {
  id: string;
  parent: NotionObject;
  type: string;
  content: NotionObject;
}

/** A change, for webhooks. */
export interface NotionEvent {
  type: string;
  entity: { id: string; type: string };
  data: NotionObject;
}

interface NewPage {
  under?: string;
  /** Adds the page as a row of this data source. */
  in?: string;
  properties?: NotionObject;
  author?: string;
  at?: Date;
  isShared?: boolean;
}

export const richText = (text: string, more: NotionObject = {}): NotionObject => ({
  type: 'text',
  text: { content: text, link: null },
  plain_text: text,
  href: null,
  annotations: { bold: false, italic: false, strikethrough: false, underline: false, code: false, color: 'default' },
  ...more,
});

/** The pages, databases, comments and people of one workspace, and the pages that are shared with the integration. */
export class NotionWorkspace {
  readonly name = 'Acme';
  readonly people = new Map<string, { id: string; name: string; isGuest: boolean }>();
  /** Items that search does not show yet, or never. */
  readonly hiddenFromSearch = new Set<string>();
  /** Whether lists still contain pages that were just moved to the trash. */
  listsTrash = false;
  onEvent: (event: NotionEvent) => void = () => undefined;
  private readonly items = new Map<string, StoredNotionItem>();
  private readonly blocks = new Map<string, StoredBlock>();
  private readonly blocksBelow = new Map<string, string[]>();
  private readonly commentsOn = new Map<string, NotionObject[]>();

  addPerson(name: string, { isGuest = false } = {}): string {
    const id = randomUUID();
    this.people.set(id, { id, name, isGuest });
    return id;
  }

  /** Without a parent, at the top of the workspace. */
  addPage(title: string, { under, in: source, properties = {}, author = '', at, isShared }: NewPage = {}): string {
    const parent = source
      ? { type: 'data_source_id', data_source_id: source, database_id: this.item(source).parent.database_id }
      : this.parentOf(under);
    const isTop = !source && !under;
    return this.add('page', title, parent, { properties, author, at, isShared: isShared ?? isTop });
  }

  addDataSource(
    title: string,
    { under, description = '', properties = {}, at, isShared }: NewPage & { description?: string } = {},
  ): string {
    const parent = { type: 'database_id', database_id: randomUUID(), above: this.parentOf(under) };
    return this.add('data_source', title, parent, { properties, description, at, isShared: isShared ?? !under });
  }

  /** Appends a block to a page or a block. */
  addBlock(under: string, type: string, content: NotionObject | string = {}): string {
    const id = randomUUID();
    const isOnPage = this.items.has(under);
    const parent = isOnPage ? { type: 'page_id', page_id: under } : { type: 'block_id', block_id: under };
    const own = typeof content === 'string' ? { rich_text: [richText(content)] } : content;
    this.blocks.set(id, { id, parent, type, content: own });
    this.blocksBelow.set(under, [...(this.blocksBelow.get(under) ?? []), id]);
    return id;
  }

  editBlock(id: string, text: string, at = new Date()): void {
    const block = this.blocks.get(id)!;
    block.content = { ...block.content, rich_text: [richText(text)] };
    const page = this.pageOf(block);
    if (!page) return;
    page.editedAt = at.getTime();
    this.report(page.id, 'content_updated');
  }

  /** Does not change the time of the page. */
  addComment(page: string, text: string, author: string): void {
    const comment = {
      object: 'comment',
      id: randomUUID(),
      parent: { type: 'page_id', page_id: page },
      discussion_id: randomUUID(),
      created_time: new Date().toISOString(),
      created_by: { object: 'user', id: author },
      rich_text: [richText(text)],
    };
    this.commentsOn.set(page, [...(this.commentsOn.get(page) ?? []), comment]);
    const data = { page_id: page, parent: { id: page, type: 'page' } };
    this.onEvent({ type: 'comment.created', entity: { id: comment.id, type: 'comment' }, data });
  }

  edit(
    id: string,
    change: Partial<Pick<StoredNotionItem, 'title' | 'properties' | 'description'>>,
    at = new Date(),
  ): void {
    Object.assign(this.item(id), change, { editedAt: at.getTime() });
    this.report(id, this.item(id).object === 'page' ? 'properties_updated' : 'schema_updated');
  }

  move(id: string, under?: string): void {
    this.item(id).parent = this.parentOf(under);
  }

  trash(id: string, isTrashed = true): void {
    this.item(id).isTrashed = isTrashed;
    this.report(id, isTrashed ? 'deleted' : 'undeleted');
  }

  share(id: string, isShared = true): void {
    this.item(id).isShared = isShared;
  }

  /** Everything that lists show to the integration. */
  visible(): StoredNotionItem[] {
    return [...this.items.values()].filter(
      (item) => this.canSee(item.id) && (this.listsTrash || !this.isInTrash(item)),
    );
  }

  find(object: StoredNotionItem['object'], id: string): StoredNotionItem | undefined {
    const item = this.items.get(id);
    return item?.object === object && this.canSee(id) ? item : undefined;
  }

  findBlock(id: string): StoredBlock | undefined {
    const block = this.blocks.get(id);
    const page = block && this.pageOf(block);
    return page && this.canSee(page.id) ? block : undefined;
  }

  /** Undefined if the page or block is not shared. */
  children(id: string): StoredBlock[] | undefined {
    if (!this.find('page', id) && !this.findBlock(id)) return undefined;
    return (this.blocksBelow.get(id) ?? []).map((below) => this.blocks.get(below)!);
  }

  hasChildren(id: string): boolean {
    return this.blocksBelow.has(id);
  }

  comments(page: string): NotionObject[] {
    return this.commentsOn.get(page) ?? [];
  }

  isInTrash(item: StoredNotionItem): boolean {
    return item.isTrashed || Boolean(this.above(item) && this.isInTrash(this.above(item)!));
  }

  /** Notion sends events only for pages that are shared with the integration. */
  private report(id: string, change: string): void {
    const { object } = this.item(id);
    if (this.canSee(id)) this.onEvent({ type: `${object}.${change}`, entity: { id, type: object }, data: {} });
  }

  private canSee(id: string): boolean {
    const item = this.items.get(id);
    if (!item) return false;
    const above = this.above(item);
    return item.isShared || Boolean(above && this.canSee(above.id));
  }

  private above({ parent }: Pick<StoredNotionItem, 'parent'>): StoredNotionItem | undefined {
    const { type } = parent;
    if (type === 'database_id') return this.above({ parent: parent.above as NotionObject });
    if (type === 'block_id') return this.pageOf(this.blocks.get(parent.block_id as string)!);
    return this.items.get((parent.page_id ?? parent.data_source_id) as string);
  }

  private pageOf({ parent }: StoredBlock): StoredNotionItem | undefined {
    if (parent.type === 'page_id') return this.items.get(parent.page_id as string);
    return this.pageOf(this.blocks.get(parent.block_id as string)!);
  }

  private parentOf(under?: string): NotionObject {
    if (!under) return { type: 'workspace', workspace: true };
    return this.blocks.has(under) ? { type: 'block_id', block_id: under } : { type: 'page_id', page_id: under };
  }

  private item(id: string): StoredNotionItem {
    const item = this.items.get(id);
    if (!item) throw new Error(`the workspace has no ${id}`);
    return item;
  }

  private add(
    object: StoredNotionItem['object'],
    title: string,
    parent: NotionObject,
    { at, ...more }: Partial<StoredNotionItem> & { at?: Date },
  ): string {
    const id = randomUUID();
    const editedAt = (at ?? new Date('2026-11-20T10:00:00Z')).getTime();
    const defaults = { properties: {}, description: '', author: '', isTrashed: false, isShared: false };
    this.items.set(id, { id, object, title, parent, ...defaults, ...more, editedAt });
    return id;
  }
}
