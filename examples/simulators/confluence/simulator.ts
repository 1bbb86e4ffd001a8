import { SimulatedRefusal } from '../http-simulator.ts';
import type { SimulatedRequest } from '../http-simulator.ts';
import { AtlassianSimulator } from '../atlassian/atlassian-simulator.ts';
import { AtlassianLimits } from '../atlassian/limits.ts';
import type { AtlassianLimitOptions } from '../atlassian/limits.ts';
import type { AtlassianPerson } from '../atlassian/directory.ts';
import { ConfluenceSite } from './confluence-site.ts';
import type { SimulatedContent, SimulatedSpace, SimulatedThreadComment } from './confluence-site.ts';

export interface ConfluenceSimulatorOptions {
  site?: ConfluenceSite;
  port?: number;
  limits?: AtlassianLimitOptions;
}

const v1 = '/wiki/rest/api';
const v2 = '/wiki/api/v2';

/** Serves the REST API (versions 1 and 2) of a Confluence Cloud site. See README.md in the folder above. */
export class ConfluenceSimulator extends AtlassianSimulator<ConfluenceSite, AtlassianLimits> {
  private constructor({ site = new ConfluenceSite(), limits }: ConfluenceSimulatorOptions) {
    super({
      site,
      limits: new AtlassianLimits(limits),
      unauthenticated: { statusCode: 401, message: 'Unauthorized; scope does not match' },
      unknownRoute: errorBody(404, 'Not Found'),
    });
    this.addContents();
    this.addPermissions();
    this.addComments();
  }

  static start(options: ConfluenceSimulatorOptions = {}): Promise<ConfluenceSimulator> {
    return new ConfluenceSimulator(options).listen(options.port);
  }

  private addContents(): void {
    const { site } = this;
    this.get(`${v2}/spaces`, (request, account) => {
      const keys = request.query.get('keys')?.split(',');
      const spaces = [...site.spaces.values()].filter((space) => site.canSeeSpace(account, space));
      const wanted = spaces.filter(({ key }) => !keys || keys.includes(key));
      return this.page(
        wanted.map(({ id, key, name, type }) => ({ id, key, name, type, status: 'current' })),
        request,
      );
    });
    for (const type of ['page', 'blogpost'] as const) {
      this.get(`${v2}/spaces/:space/${type}s`, (request, account) => {
        const space = this.space(request, account);
        return this.page(
          this.listed(account, type, ({ spaceId }) => spaceId === space.id),
          request,
        );
      });
      this.get(`${v2}/${type}s`, (request, account) => {
        const ids = (request.query.get('id') ?? '').split(',');
        const hasBody = request.query.get('body-format') === 'storage';
        return this.page(
          this.listed(account, type, ({ id }) => ids.includes(id), hasBody),
          request,
        );
      });
    }
    this.get(`${v2}/pages/:id`, (request, account) =>
      contentPayload(this.content(request, account, 'page'), this, false),
    );
    this.get(`${v2}/folders/:id`, (request, account) =>
      contentPayload(this.content(request, account, 'folder'), this, false),
    );
    this.on('POST', `${v2}/pages`, ({ body }, account) => {
      const { spaceId, status, title, parentId, body: text } = body as NewPage;
      const space = site.spaces.get(spaceId);
      if (!space || !site.canSeeSpace(account, space)) throw notFound();
      if (status !== 'draft' && this.listed(account, 'page', (other) => other.title === title).length)
        throw refusal(400, 'A page with this title already exists');
      const storage = text.value;
      const page = site.addContent(space, title, { parentId: parentId ?? null, authorId: account, storage });
      page.status = status;
      page.readers = status === 'draft' ? [{ type: 'user', id: account }] : [];
      return { body: contentPayload(page, this, true) };
    });
    this.get(`${v1}/search`, ({ query }, account) => {
      const keys = [...(query.get('cql') ?? '').matchAll(/"([^"]+)"/g)].map(([, key]) => key);
      const ids = new Set([...site.spaces.values()].filter(({ key }) => keys.includes(key)).map(({ id }) => id));
      const found = [...site.contents.values()].filter(
        (content) => content.type !== 'folder' && content.status === 'current' && ids.has(content.spaceId),
      );
      return { results: [], totalSize: found.filter((content) => site.canSee(account, content)).length };
    });
  }

  private addPermissions(): void {
    const { site } = this;
    this.get(`${v1}/user/current`, (_, account) => ({ type: 'known', accountId: account }));
    this.on('POST', `${v2}/users-bulk`, ({ body }) => {
      const { accountIds } = body as { accountIds: string[] };
      if (!accountIds.length || accountIds.length > 250)
        throw refusal(400, 'Between 1 and 250 account ids are required');
      const people = accountIds.map((id) => site.directory.people.get(id)).filter((person) => person !== undefined);
      return { body: { results: people.map(userPayload) } };
    });
    this.get(`${v2}/spaces/:space/permissions`, (request, account) => {
      const space = this.space(request, account);
      if (space.hidesPermissions) throw refusal(403, 'Not permitted to view the permissions of this space');
      const permissions = space.permissions.map(({ operation, principal }, index) => {
        const [key, targetType] = operation.split('/');
        return { id: String(index), principal, operation: { key, targetType } };
      });
      return this.page(permissions, request);
    });
    this.get(`${v2}/spaces/:space/role-assignments`, (request, account) => {
      if (!site.roles.size) throw notFound(); // the site has no role-based access
      const { assignments } = this.space(request, account);
      const results = assignments.map(({ principalType, principalId, roleId }) => {
        return { principal: { principalType, principalId }, roleId };
      });
      return this.page(results, request);
    });
    this.get(`${v2}/space-roles`, (request) =>
      this.page(
        [...site.roles].map(([id, spacePermissions]) => ({ id, name: id, spacePermissions })),
        request,
      ),
    );
    this.get(`${v1}/space/:key`, (request, account) => {
      const space = [...site.spaces.values()].find(({ key }) => key === request.params.key);
      if (!space || !site.canSeeSpace(account, space)) throw notFound();
      const anonymous = { operation: { operation: 'read', targetType: 'space' }, anonymousAccess: true };
      return { key: space.key, permissions: space.isAnonymous ? [anonymous] : [] };
    });
    this.get(`${v1}/content/search`, ({ query }, account) => {
      const ids = /^id in \(([\d, ]+)\)$/.exec(query.get('cql') ?? '')?.[1].split(', ');
      if (!ids) throw refusal(400, 'Could not parse cql');
      const found = ids.map((id) => site.contents.get(id)).filter((content) => content !== undefined);
      const shown = found.filter((content) => !site.unindexed.has(content.id) && site.canSee(account, content));
      const results = shown.map((content) => ({ id: content.id, restrictions: { read: restrictionPayload(content) } }));
      return { results, size: results.length, _links: {} };
    });
    this.get(`${v1}/content/:id/restriction/byOperation/read`, (request, account) =>
      restrictionPayload(this.content(request, account)),
    );
    this.get(`${v1}/group/:id/membersByGroupId`, ({ params, query, path }) => {
      const group = site.directory.groups.get(params.id);
      if (!group) throw notFound();
      const start = Number(query.get('start') ?? 0);
      const limit = Math.min(Number(query.get('limit') ?? 200), 200);
      const members = [...group.members];
      const results = members.slice(start, start + limit).map((id) => userPayload(site.directory.people.get(id)!));
      const isLast = start + limit >= members.length;
      const next = isLast ? {} : { next: `${path}?start=${start + limit}&limit=${limit}` };
      return { results, start, limit, size: results.length, _links: { base: `${this.url}/wiki`, ...next } };
    });
  }

  private addComments(): void {
    const { site } = this;
    const visible = (account: string, matches: (comment: SimulatedThreadComment) => boolean) =>
      [...site.comments.values()].filter((comment) => {
        const content = site.contents.get(comment.contentId)!;
        return matches(comment) && content.status === 'current' && site.canSee(account, content);
      });
    for (const place of ['footer', 'inline'] as const) {
      const payloads = (request: SimulatedRequest, comments: SimulatedThreadComment[]) =>
        this.page(
          comments.map((comment) => this.commentPayload(comment, request)),
          request,
        );
      this.get(`${v2}/${place}-comments`, (request, account) =>
        payloads(
          request,
          visible(account, (comment) => comment.place === place),
        ),
      );
      this.get(`${v2}/${place}-comments/:id/children`, (request, account) =>
        payloads(
          request,
          visible(account, ({ parentCommentId }) => parentCommentId === request.params.id),
        ),
      );
      for (const type of ['page', 'blogpost'] as const)
        this.get(`${v2}/${type}s/:id/${place}-comments`, (request, account) => {
          const { id } = this.content(request, account, type);
          const isRoot = ({ contentId, parentCommentId, ...comment }: SimulatedThreadComment) =>
            contentId === id && parentCommentId === null && comment.place === place;
          return payloads(request, visible(account, isRoot));
        });
    }
  }

  private listed(
    account: string,
    type: SimulatedContent['type'],
    matches: (content: SimulatedContent) => boolean,
    hasBody = false,
  ): object[] {
    return [...this.site.contents.values()]
      .filter((content) => content.type === type && content.status === 'current' && matches(content))
      .filter((content) => this.site.canSee(account, content))
      .map((content) => contentPayload(content, this, hasBody));
  }

  private commentPayload(comment: SimulatedThreadComment, { query }: SimulatedRequest): object {
    const { id, contentId, parentCommentId, authorId, version, updated, storage } = comment;
    const parent = this.site.contents.get(contentId)!;
    return {
      id,
      status: 'current',
      ...(parent.type === 'page' ? { pageId: contentId } : { blogPostId: contentId }),
      ...(parentCommentId && { parentCommentId }),
      version: { number: version, createdAt: new Date(updated).toISOString(), authorId },
      ...(query.get('body-format') === 'storage' && {
        body: { storage: { representation: 'storage', value: storage } },
      }),
    };
  }

  private space({ params }: SimulatedRequest, account: string): SimulatedSpace {
    const space = this.site.spaces.get(params.space);
    if (!space || !this.site.canSeeSpace(account, space)) throw notFound();
    return space;
  }

  private content({ params }: SimulatedRequest, account: string, type?: SimulatedContent['type']): SimulatedContent {
    const content = this.site.contents.get(params.id);
    if (!content || (type && content.type !== type) || content.status === 'trashed') throw notFound();
    if (!this.site.canSee(account, content)) throw notFound();
    return content;
  }

  private page(all: readonly object[], { query, path }: SimulatedRequest): object {
    const limit = Math.min(Number(query.get('limit') ?? 25), 250);
    const cursor = query.get('cursor');
    const start = cursor ? Number(Buffer.from(cursor, 'base64url').toString()) : 0;
    if (!Number.isSafeInteger(start)) throw refusal(400, 'Invalid cursor');
    const results = all.slice(start, start + limit);
    this.limits.charge(results.length);
    const next = Buffer.from(String(start + limit)).toString('base64url');
    const isLast = start + limit >= all.length;
    return {
      results,
      _links: { base: `${this.url}/wiki`, ...(!isLast && { next: `${path}?limit=${limit}&cursor=${next}` }) },
    };
  }
}

interface NewPage {
  spaceId: string;
  status: 'current' | 'draft';
  title: string;
  parentId?: string;
  body: { representation: 'storage'; value: string };
}

function contentPayload(content: SimulatedContent, { site, url }: ConfluenceSimulator, hasBody: boolean): object {
  const { id, status, title, spaceId, parentId, authorId, version, updated, storage, type } = content;
  const { key } = site.spaces.get(spaceId)!;
  const parent = site.contents.get(parentId ?? '');
  const parentType = parent && (parent.type === 'folder' ? 'folder' : 'page');
  return {
    id,
    status,
    title,
    spaceId,
    ...(type !== 'blogpost' && { parentId, parentType: parentType ?? null }),
    authorId,
    createdAt: new Date(updated).toISOString(),
    version: { number: version, createdAt: new Date(updated).toISOString(), authorId },
    body: hasBody ? { storage: { representation: 'storage', value: storage } } : {},
    _links: {
      webui: `/spaces/${key}/${type === 'blogpost' ? 'blog' : 'pages'}/${id}`,
      editui: `/pages/resumedraft.action?draftId=${id}`,
      base: `${url}/wiki`,
    },
  };
}

const restrictionPayload = ({ readers }: SimulatedContent) => {
  const list = (results: object[]) => ({ results, start: 0, limit: 200, size: results.length });
  return {
    operation: 'read',
    restrictions: {
      user: list(readers.filter(({ type }) => type === 'user').map(({ id }) => ({ type: 'known', accountId: id }))),
      group: list(readers.filter(({ type }) => type === 'group').map(({ id }) => ({ type: 'group', id, name: id }))),
    },
  };
};

const userPayload = ({ accountId, accountType, displayName, email, showsEmail, isActive }: AtlassianPerson) => ({
  type: 'known',
  accountId,
  accountType,
  accountStatus: isActive ? 'active' : 'inactive',
  displayName,
  publicName: displayName,
  email: showsEmail ? email : '',
});

const errorBody = (status: number, title: string) => ({ errors: [{ status, code: 'ERROR', title, detail: null }] });
const refusal = (status: number, title: string): SimulatedRefusal =>
  new SimulatedRefusal({ status, body: errorBody(status, title) });
const notFound = (): SimulatedRefusal => refusal(404, 'Not Found');
