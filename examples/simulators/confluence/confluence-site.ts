import { AtlassianDirectory } from '../atlassian/directory.ts';

export interface SimulatedPrincipal {
  type: 'user' | 'group';
  id: string;
}

export interface SimulatedSpace {
  id: string;
  key: string;
  name: string;
  type: 'global' | 'personal';
  isArchived: boolean;
  /** Operations, such as "read/space", with a principal that may perform them. */
  permissions: { operation: string; principal: SimulatedPrincipal }[];
  /** On sites with role-based access: principals with the id of their role. */
  assignments: { principalType: 'USER' | 'GROUP' | 'ACCESS_CLASS'; principalId: string; roleId: string }[];
  isAnonymous: boolean;
  /** Only administrators of the space can read the permissions. */
  hidesPermissions: boolean;
}

export interface SimulatedContent {
  id: string;
  type: 'page' | 'blogpost' | 'folder';
  status: 'current' | 'archived' | 'trashed' | 'draft';
  title: string;
  spaceId: string;
  parentId: string | null;
  authorId: string;
  version: number;
  /** The time of the version. */
  updated: number;
  storage: string;
  /** The principals that may view it. Empty: everyone who may view the space. */
  readers: SimulatedPrincipal[];
}

export interface SimulatedThreadComment {
  id: string;
  contentId: string;
  place: 'footer' | 'inline';
  parentCommentId: string | null;
  authorId: string;
  version: number;
  updated: number;
  storage: string;
}

/** The data and permissions of a Confluence site, with methods to change them. */
export class ConfluenceSite {
  readonly directory: AtlassianDirectory;
  readonly spaces = new Map<string, SimulatedSpace>();
  readonly contents = new Map<string, SimulatedContent>();
  readonly comments = new Map<string, SimulatedThreadComment>();
  /** On sites with role-based access: the operations that each role permits. */
  readonly roles = new Map<string, string[]>();
  /** Principals with the global permission to use Confluence Data Center. Null: everyone, as in Confluence Cloud. */
  users: SimulatedPrincipal[] | null = null;
  /** Whether anonymous visitors may use the site. Spaces must also permit it. */
  allowsAnonymous = true;
  /** Ids that the search index lacks. */
  readonly unindexed = new Set<string>();
  /** Called for changes of contents, comments and permissions. */
  onEvent: (event: string, payload: object) => void = () => undefined;
  private nextId = 65_536;

  constructor(directory = new AtlassianDirectory()) {
    this.directory = directory;
  }

  newId(): string {
    return String((this.nextId += 32));
  }

  addSpace(key: string, name: string, options: Partial<SimulatedSpace> = {}): SimulatedSpace {
    const space: SimulatedSpace = {
      id: this.newId(),
      key,
      name,
      type: 'global',
      isArchived: false,
      permissions: [],
      assignments: [],
      isAnonymous: false,
      hidesPermissions: false,
      ...options,
    };
    this.spaces.set(space.id, space);
    return space;
  }

  setReaders(space: SimulatedSpace, ...readers: SimulatedPrincipal[]): void {
    const others = space.permissions.filter(({ operation }) => operation !== 'read/space');
    space.permissions = [...others, ...readers.map((principal) => ({ operation: 'read/space', principal }))];
    this.onEvent('space_permissions_updated', { space: { key: space.key } });
  }

  addContent(space: SimulatedSpace, title: string, options: Partial<SimulatedContent> = {}): SimulatedContent {
    const content: SimulatedContent = {
      id: this.newId(),
      type: 'page',
      status: 'current',
      title,
      spaceId: space.id,
      parentId: null,
      authorId: '',
      version: 1,
      updated: Date.now(),
      storage: `<p>${title}</p>`,
      readers: [],
      ...options,
    };
    this.contents.set(content.id, content);
    return content;
  }

  edit(content: SimulatedContent, change: Partial<SimulatedContent>): void {
    Object.assign(content, change, { version: content.version + 1, updated: Date.now() });
    this.onEvent('page_updated', { page: { id: Number(content.id) } });
  }

  /** Does not change the version. */
  move(content: SimulatedContent, parent: SimulatedContent | null): void {
    content.parentId = parent?.id ?? null;
    this.onEvent('page_moved', { page: { id: Number(content.id) } });
  }

  /** Does not change the version. */
  restrict(content: SimulatedContent, ...readers: SimulatedPrincipal[]): void {
    content.readers = readers;
    this.onEvent('content_permissions_updated', { content: { id: Number(content.id) } });
  }

  remove(content: SimulatedContent): void {
    content.status = 'trashed';
    this.onEvent('page_trashed', { page: { id: Number(content.id) } });
  }

  comment(
    content: SimulatedContent,
    storage: string,
    options: Partial<SimulatedThreadComment> = {},
  ): SimulatedThreadComment {
    const comment: SimulatedThreadComment = {
      id: this.newId(),
      contentId: content.id,
      place: 'footer',
      parentCommentId: null,
      authorId: content.authorId,
      version: 1,
      updated: Date.now() + this.comments.size,
      storage,
      ...options,
    };
    this.comments.set(comment.id, comment);
    this.onEvent('comment_created', { comment: { id: Number(comment.id) } });
    return comment;
  }

  canSeeSpace(accountId: string, space: SimulatedSpace): boolean {
    if (!this.directory.isActive(accountId) || space.isArchived) return false;
    if (space.isAnonymous && this.allowsAnonymous) return true;
    const isHolder = ({ type, id }: SimulatedPrincipal) =>
      type === 'user' ? id === accountId : this.directory.isMember(id, accountId);
    if (this.users && !this.users.some(isHolder)) return false;
    if (space.permissions.some(({ operation, principal }) => operation === 'read/space' && isHolder(principal)))
      return true;
    return space.assignments.some(
      ({ principalType, principalId, roleId }) =>
        this.roles.get(roleId)?.includes('read/space') &&
        (principalType === 'ACCESS_CLASS'
          ? principalId !== 'all-product-admins'
          : isHolder({ type: principalType === 'USER' ? 'user' : 'group', id: principalId })),
    );
  }

  canSee(accountId: string, content: SimulatedContent): boolean {
    if (!this.canSeeSpace(accountId, this.spaces.get(content.spaceId)!)) return false;
    const isHolder = ({ type, id }: SimulatedPrincipal) =>
      type === 'user' ? id === accountId : this.directory.isMember(id, accountId);
    // an account that cannot use Confluence sees only what anonymous visitors see
    const isUser = this.users?.some(isHolder) ?? true;
    for (let at: SimulatedContent | undefined = content; at; at = this.contents.get(at.parentId ?? ''))
      if (at.readers.length && !(isUser && at.readers.some(isHolder))) return false;
    return true;
  }
}
