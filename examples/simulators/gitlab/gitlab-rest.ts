import { SimulatedRefusal } from '../http-simulator.ts';
import type { HttpSimulator, SimulatedReply, SimulatedRequest } from '../http-simulator.ts';
import { levels } from './gitlab-world.ts';
import type {
  GitlabFeature,
  GitlabGroup,
  GitlabNote,
  GitlabProjectData,
  GitlabThreadData,
  GitlabUser,
  GitlabWorld,
} from './gitlab-world.ts';

export interface GitlabTokenData {
  value: string;
  user: GitlabUser;
  scopes: string[];
  expiresAt: string | null;
  isRevoked: boolean;
}

const notFound = (what: string) => new SimulatedRefusal({ status: 404, body: { message: `404 ${what} Not Found` } });
const writeScopes = ['api'];
const readScopes = ['api', 'read_api'];
const forbidden = () => new SimulatedRefusal({ status: 403, body: { message: '403 Forbidden' } });

/** Routes below /api/v4, with the permissions of the user of the token. */
export class GitlabRest {
  readonly tokens = new Map<string, GitlabTokenData>();
  /** Administrators then need the scope admin_mode. */
  hasAdminMode = false;
  /** Lists that are requested by page number end with an error after it. GitLab.com: 50,000. */
  maxOffset = 50_000;
  private readonly world: GitlabWorld;
  private readonly webUrl: () => string;

  constructor(world: GitlabWorld, http: HttpSimulator, webUrl: () => string) {
    this.world = world;
    this.webUrl = webUrl;
    const get = (path: string, handler: (request: SimulatedRequest, user: GitlabUser) => SimulatedReply) =>
      http.route('GET', `/api/v4${path}`, (request) =>
        handler(request, this.userOf(this.tokenOf(request, readScopes))),
      );
    const write = (method: string, path: string, handler: (request: SimulatedRequest, user: GitlabUser) => object) =>
      http.route(method, `/api/v4${path}`, (request) => ({
        status: method === 'POST' ? 201 : 200,
        body: handler(request, this.userOf(this.tokenOf(request, writeScopes))),
      }));
    http.route('GET', '/api/v4/personal_access_tokens/self', (request) => {
      const { scopes, expiresAt } = this.tokenOf(request, []);
      return { body: { id: 1, scopes, active: true, revoked: false, expires_at: expiresAt } };
    });
    http.route('GET', '/api/v4/user', (request) => {
      const { user } = this.tokenOf(request, readScopes);
      return { body: { ...this.person(user), ...(user.isAdmin && { is_admin: true }) } };
    });
    get('/users', (request, user) => this.listUsers(request, user));
    get('/projects', (request, user) => this.listProjects(request, user));
    get('/projects/:id', ({ params }, user) => {
      const project = this.visible(params.id, user);
      return { body: this.project(project, user) };
    });
    get('/projects/:id/members/all', (request, user) => {
      const project = this.visible(request.params.id, user);
      if (!user.isAdmin && world.levelOf(project, user) === 0 && project.visibility === 'private') throw forbidden();
      return this.paged(request, this.members(project, user.isAdmin));
    });
    get('/projects/:id/members/all/:user', ({ params }, user) => {
      const found = this.members(this.visible(params.id, user), false).find(({ id }) => String(id) === params.user);
      if (!found) throw notFound('Member');
      return { body: found };
    });
    for (const kind of ['issues', 'merge_requests'] as const) {
      get(`/projects/:id/${kind}`, (request, user) => this.listThreads(request, user, kind));
      get(`/projects/:id/${kind}/:iid`, ({ params }, user) => {
        const project = this.visible(params.id, user);
        return { body: this.thread(project, this.findThread(project, kind, params.iid, user)) };
      });
      get(`/projects/:id/${kind}/:iid/discussions`, (request, user) => {
        const project = this.visible(request.params.id, user);
        const { discussions } = this.findThread(project, kind, request.params.iid, user);
        const canSeeInternal = this.role(project, user) >= levels.reporter;
        const shown = discussions
          .map((notes) => notes.filter(({ isInternal }) => canSeeInternal || !isInternal))
          .filter((notes) => notes.length);
        return this.paged(
          request,
          shown.map((notes) => ({
            id: `d${notes[0].id}`,
            individual_note: notes.length === 1,
            notes: notes.map((note) => this.note(note)),
          })),
        );
      });
      write('POST', `/projects/:id/${kind}/:iid/notes`, ({ params, body }, user) => {
        const project = this.visible(params.id, user);
        const thread = this.findThread(project, kind, params.iid, user);
        return this.note(world.comment(project, thread, user, String((body as { body: unknown }).body)));
      });
      write('PUT', `/projects/:id/${kind}/:iid`, ({ params, body }, user) => {
        const project = this.visible(params.id, user);
        const thread = this.findThread(project, kind, params.iid, user);
        if (this.role(project, user) < levels.reporter && thread.author.id !== user.id) throw forbidden();
        const { state_event: event } = body as { state_event?: string };
        if (event && thread.state !== 'merged')
          world.editThread(project, thread, { state: event === 'close' ? 'closed' : 'opened' });
        return this.thread(project, thread);
      });
    }
    get('/groups', (request, user) => this.listGroups(request, user));
    get('/groups/:id/wikis', (request, user) => this.listGroupWiki(request, user));
    get('/groups/:id/members/all', (request, user) => {
      const group = this.groupOf(request, user);
      const found = [...world.users.values()].filter((one) => world.levelInGroup(group, one) > 0);
      return this.paged(
        request,
        found.map((one) => ({
          ...this.person(one),
          access_level: world.levelInGroup(group, one),
          expires_at: null,
          membership_state: 'active',
        })),
      );
    });
    get('/projects/:id/wikis', (request, user) => this.listWiki(request, user));
    write('POST', '/projects/:id/issues', ({ params, body }, user) => {
      const project = this.visible(params.id, user);
      this.requireFeature(project, 'issues', user);
      const { title, description, labels, confidential } = body as Record<string, string | boolean | undefined>;
      if (!title) throw new SimulatedRefusal({ status: 400, body: { message: { title: ["can't be blank"] } } });
      const issue = world.addIssue(project, user, String(title), {
        description: String(description ?? ''),
        labels: labels ? String(labels).split(',') : [],
        confidential: confidential === true,
      });
      return this.thread(project, issue);
    });
    get('/projects/:id/repository/commits/:ref', ({ params }, user) => {
      const commit = this.commit(this.readable(params.id, user), params.ref);
      return { body: { id: commit.id, short_id: commit.id.slice(0, 8) } };
    });
    get('/projects/:id/repository/tree', (request, user) => {
      const { files } = this.commit(this.readable(request.params.id, user), request.query.get('ref') ?? 'main');
      const folders = new Set<string>();
      for (const path of files.keys())
        for (let at = path.indexOf('/'); at > 0; at = path.indexOf('/', at + 1)) folders.add(path.slice(0, at));
      const entry = (path: string, rest: object) => ({ name: path.split('/').at(-1), path, ...rest });
      return this.paged(request, [
        ...[...folders].map((path) => entry(path, { id: '0'.repeat(40), type: 'tree', mode: '040000' })),
        ...[...files].map(([path, { id, mode }]) =>
          entry(path, { id, mode, type: mode === '160000' ? 'commit' : 'blob' }),
        ),
      ]);
    });
    get('/projects/:id/repository/blobs/:sha', ({ params }, user) => {
      const bytes = this.readable(params.id, user).blobs.get(params.sha);
      if (!bytes) throw notFound('Blob');
      const content = bytes.toString('base64');
      return { body: { size: bytes.length, encoding: 'base64', content, sha: params.sha } };
    });
  }

  private listWiki({ params, query }: SimulatedRequest, user: GitlabUser): SimulatedReply {
    const project = this.visible(params.id, user);
    this.requireFeature(project, 'wiki', user);
    return this.wikiPages(project.wiki, query);
  }

  private listGroups(request: SimulatedRequest, user: GitlabUser): SimulatedReply {
    const least = Number(request.query.get('min_access_level') ?? 0);
    const found = [...this.world.groups.values()].filter(
      (group) => this.world.levelInGroup(group, user) >= Math.max(1, least),
    );
    return this.paged(
      request,
      found.map(({ id, path, visibility, wikiLevel }) => ({
        id,
        full_path: path,
        visibility,
        web_url: `${this.webUrl()}/groups/${path}`,
        ...(wikiLevel !== null && { wiki_access_level: wikiLevel }),
      })),
    );
  }

  private listGroupWiki(request: SimulatedRequest, user: GitlabUser): SimulatedReply {
    const { wikiLevel, wiki } = this.groupOf(request, user);
    if (wikiLevel === null || wikiLevel === 'disabled') throw forbidden();
    return this.wikiPages(wiki, request.query);
  }

  private groupOf({ params }: SimulatedRequest, user: GitlabUser): GitlabGroup {
    const group = this.world.groups.get(Number(params.id));
    if (!group || (group.visibility === 'private' && !this.world.levelInGroup(group, user))) throw notFound('Group');
    return group;
  }

  private wikiPages(wiki: ReadonlyMap<string, string>, query: URLSearchParams): SimulatedReply {
    const hasContent = /^(1|true)$/.test(query.get('with_content') ?? '');
    const body = [...wiki].sort().map(([slug, content]) => ({
      wiki_page_meta_id: null,
      format: 'markdown',
      slug,
      title: slug.split('/').at(-1)!.replaceAll('-', ' '),
      ...(hasContent && { content, encoding: 'UTF-8', front_matter: {} }),
    }));
    return { body };
  }

  /** The token needs one of the scopes, if there are any. */
  tokenOf({ headers }: SimulatedRequest, scopes: readonly string[]): GitlabTokenData {
    const token = this.tokens.get(String(headers['private-token'] ?? ''));
    const isExpired = token?.expiresAt && Date.parse(token.expiresAt) <= Date.now();
    if (!token || token.isRevoked || isExpired || token.user.state === 'blocked')
      throw new SimulatedRefusal({ status: 401, body: { message: '401 Unauthorized' } });
    if (!scopes.length || token.scopes.some((scope) => scopes.includes(scope))) return token;
    const body = {
      error: 'insufficient_scope',
      error_description: 'The request requires higher privileges than provided by the access token.',
      scope: scopes.join(' '),
    };
    throw new SimulatedRefusal({ status: 403, body });
  }

  /** Without admin_mode, the token of an administrator has only the roles of its user. */
  private userOf({ user, scopes }: GitlabTokenData): GitlabUser {
    if (!user.isAdmin || !this.hasAdminMode || scopes.includes('admin_mode')) return user;
    const isAdmin = () => false;
    return Object.create(user, { isAdmin: { get: isAdmin } }) as GitlabUser;
  }

  thread(project: GitlabProjectData, one: GitlabThreadData): object {
    const { id, iid, kind, title, description, state, labels, createdAt, updatedAt, isConfidential } = one;
    const notes = one.discussions.flat().filter(({ isSystem, isInternal }) => !isSystem && !isInternal);
    return {
      id,
      iid,
      project_id: project.id,
      title,
      description,
      state,
      labels,
      created_at: createdAt,
      updated_at: updatedAt,
      author: this.person(one.author),
      assignees: one.assignees.map((user) => this.person(user)),
      milestone: null,
      user_notes_count: notes.length,
      ...(kind === 'issues' ? { confidential: isConfidential, issue_type: 'issue' } : { draft: false }),
      web_url: `${this.webUrl()}/${project.path}/-/${kind}/${iid}`,
    };
  }

  private note({ id, author, body, createdAt, isSystem, isInternal, position }: GitlabNote): object {
    return {
      id,
      type: position ? 'DiffNote' : null,
      body,
      author: author && this.person(author),
      created_at: createdAt,
      system: isSystem,
      internal: isInternal,
      confidential: isInternal,
      ...(position && { position }),
    };
  }

  private person({ id, username, state, email, isEmailPublic }: GitlabUser) {
    const public_email = isEmailPublic ? email : null;
    return { id, username, public_email, name: username, state, web_url: `${this.webUrl()}/${username}` };
  }

  private project(project: GitlabProjectData, user: GitlabUser): object {
    const { id, path, visibility, isArchived, features, group, members } = project;
    const own = members.get(user.id)?.level;
    let inheritedLevel = 0;
    for (let at: typeof group | null = group; at; at = at.parent)
      inheritedLevel = Math.max(inheritedLevel, at.members.get(user.id) ?? 0);
    const canReadCode = this.can(project, 'repository', user);
    return {
      id,
      path_with_namespace: path,
      web_url: `${this.webUrl()}/${path}`,
      visibility,
      archived: isArchived,
      empty_repo: project.commits.length === 0,
      ...(canReadCode && { default_branch: project.commits.length ? 'main' : null }),
      issues_access_level: features.issues,
      merge_requests_access_level: features.merge_requests,
      repository_access_level: features.repository,
      wiki_access_level: features.wiki,
      // does not include invited groups, as in GitLab
      permissions: {
        project_access: own ? { access_level: own } : null,
        group_access: inheritedLevel ? { access_level: inheritedLevel } : null,
      },
    };
  }

  private members(project: GitlabProjectData, showsEmails: boolean) {
    return [...this.world.users.values()].flatMap((user) => {
      const level = this.world.levelOf(project, user);
      if (!level) return [];
      const expires_at = project.members.get(user.id)?.expiresAt ?? null;
      const email = showsEmails && { email: user.email };
      return [{ ...this.person(user), ...email, access_level: level, expires_at, membership_state: 'active' }];
    });
  }

  /** A page with the link to the next one. GitLab omits the total of long lists. */
  private paged({ query, path, origin }: SimulatedRequest, all: readonly object[]): SimulatedReply {
    const size = Math.min(100, Number(query.get('per_page') ?? 20));
    const page = Number(query.get('page') ?? query.get('page_token') ?? 1);
    if (query.has('page') && page * size > this.maxOffset)
      throw new SimulatedRefusal({
        status: 405,
        body: { error: `Offset pagination has a maximum allowed offset of ${this.maxOffset}` },
      });
    const headers: Record<string, string> = all.length <= 10_000 ? { 'x-total': String(all.length) } : {};
    if (all.length > page * size) {
      const next = new URLSearchParams(query);
      next.set(query.get('pagination') === 'keyset' ? 'page_token' : 'page', String(page + 1));
      headers.link = `<${origin}${path}?${next.toString()}>; rel="next"`;
    }
    return { headers, body: all.slice((page - 1) * size, page * size) };
  }

  private listUsers(request: SimulatedRequest, user: GitlabUser): SimulatedReply {
    const found = [...this.world.users.values()].filter(({ state }) => state === 'active');
    return this.paged(
      request,
      found.map((one) => ({
        ...this.person(one),
        bot: one.isBot,
        ...(user.isAdmin && {
          email: one.email,
          confirmed_at: one.isConfirmed ? '2026-01-01T00:00:00.000Z' : null,
          external: one.isExternal,
        }),
      })),
    );
  }

  private listProjects(request: SimulatedRequest, user: GitlabUser): SimulatedReply {
    const isMember = request.query.get('membership') === 'true';
    const found = [...this.world.projects.values()].filter((project) =>
      isMember ? this.world.levelOf(project, user) > 0 : this.isVisible(project, user),
    );
    return this.paged(
      request,
      found.map((project) => this.project(project, user)),
    );
  }

  private listThreads(request: SimulatedRequest, user: GitlabUser, kind: GitlabThreadData['kind']): SimulatedReply {
    const { query, params } = request;
    const project = this.visible(params.id, user);
    this.requireFeature(project, kind, user);
    const since = Date.parse(query.get('updated_after') ?? '1970-01-01');
    const field = query.get('order_by') === 'updated_at' ? 'updatedAt' : 'createdAt';
    const found = project[kind]
      .filter((one) => this.canReadThread(project, one, user) && Date.parse(one.updatedAt) >= since)
      .filter(({ isConfidential }) => query.get('confidential') !== 'true' || isConfidential)
      .sort((a, b) => Date.parse(a[field]) - Date.parse(b[field]) || a.id - b.id);
    if (query.get('sort') !== 'asc') found.reverse();
    return this.paged(
      request,
      found.map((one) => this.thread(project, one)),
    );
  }

  private findThread(
    project: GitlabProjectData,
    kind: GitlabThreadData['kind'],
    iid: string,
    user: GitlabUser,
  ): GitlabThreadData {
    this.requireFeature(project, kind, user);
    const found = project[kind].find((one) => String(one.iid) === iid);
    if (!found || !this.canReadThread(project, found, user)) throw notFound('Issue');
    return found;
  }

  private canReadThread(project: GitlabProjectData, one: GitlabThreadData, user: GitlabUser): boolean {
    const isNamed = one.author.id === user.id || one.assignees.some(({ id }) => id === user.id);
    return !one.isConfidential || isNamed || this.role(project, user) >= levels.planner;
  }

  private role(project: GitlabProjectData, user: GitlabUser): number {
    return user.isAdmin ? levels.owner : this.world.levelOf(project, user);
  }

  private isVisible(project: GitlabProjectData, user: GitlabUser): boolean {
    if (this.role(project, user) > 0 || project.visibility === 'public') return true;
    return project.visibility === 'internal' && !user.isExternal;
  }

  /** By id or path. */
  private visible(id: string, user: GitlabUser): GitlabProjectData {
    const project = [...this.world.projects.values()].find((one) => String(one.id) === id || one.path === id);
    if (!project || !this.isVisible(project, user)) throw notFound('Project');
    return project;
  }

  private can(project: GitlabProjectData, feature: GitlabFeature, user: GitlabUser): boolean {
    const level = project.features[feature];
    const role = this.role(project, user);
    if (level === 'disabled') return false;
    const isForGuests = feature === 'issues' || feature === 'wiki';
    if (!isForGuests && project.visibility === 'private') return role >= levels.reporter;
    return level === 'enabled' || role >= levels.guest;
  }

  private requireFeature(project: GitlabProjectData, feature: GitlabFeature, user: GitlabUser): void {
    if (!this.can(project, feature, user)) throw forbidden();
  }

  private readable(id: string, user: GitlabUser): GitlabProjectData {
    const project = this.visible(id, user);
    this.requireFeature(project, 'repository', user);
    return project;
  }

  private commit(project: GitlabProjectData, ref: string) {
    const found = ref === 'main' ? project.commits.at(-1) : project.commits.find(({ id }) => id === ref);
    if (!found) throw notFound('Commit');
    return found;
  }
}
