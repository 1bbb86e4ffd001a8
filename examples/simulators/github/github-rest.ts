import { createHash } from 'node:crypto';
import { SimulatedRefusal } from '../http-simulator.ts';
import type { HttpSimulator, SimulatedReply, SimulatedRequest } from '../http-simulator.ts';
import type { GithubActor, GithubCredentials } from './github-credentials.ts';
import { hasRole, isOrganization } from './github-data.ts';
import type { GithubIssue, GithubRepository } from './github-data.ts';
import type { GithubPayloads } from './github-payloads.ts';
import { apiTime } from './github-payloads.ts';
import type { GithubWorld } from './github-world.ts';

export interface GithubRestParts {
  world: GithubWorld;
  credentials: GithubCredentials;
  payloads: GithubPayloads;
  actorOf: (request: SimulatedRequest) => GithubActor;
  limits: { treeEntries: number; lagMs: number };
}

type RepositoryHandler = (
  repository: GithubRepository,
  request: SimulatedRequest,
  actor: GithubActor,
) => SimulatedReply | Promise<SimulatedReply>;

/** The REST API below /api/v3, as on GitHub Enterprise Server. */
export function addGithubRoutes(http: HttpSimulator, parts: GithubRestParts): void {
  const { world, credentials, payloads, actorOf, limits } = parts;
  const issuesByUpdate = new WeakMap<GithubRepository, { version: string; sorted: GithubIssue[] }>();

  const visible = (actor: GithubActor) =>
    [...world.repositories.values()].filter((one) => credentials.canSee(actor, one));
  const asUser = (request: SimulatedRequest) => {
    const actor = actorOf(request);
    if (!actor.user) throw refusal(403, 'Resource not accessible by integration');
    return { actor, user: actor.user };
  };

  http
    .route('GET', '/api/v3/user', (request) => {
      const { user } = asUser(request);
      return { body: { ...payloads.simpleUser(user), name: user.name, email: null } };
    })
    .route('GET', '/api/v3/user/repos', (request) => {
      const { actor, user } = asUser(request);
      const found = visible(actor).filter((one) => credentials.userRole(user, one) && !isStranger(world, one, user.id));
      const sso = [...(actor.token?.unauthorizedFor ?? [])];
      const headers = sso.length ? { 'x-github-sso': `partial-results; organizations=${sso.join(',')}` } : undefined;
      const bodies = found.map((one) => withPermissions(payloads.repository(one), world.roleOf(one, user.id)));
      return paged(request, bodies, headers);
    })
    .route('GET', '/api/v3/installation/repositories', (request) => {
      const actor = actorOf(request);
      if (!actor.installation) throw refusal(403, 'You must authenticate with an installation access token');
      const found = [...world.repositories.values()].filter(
        (one) => one.owner.id === actor.installation!.account.id && credentials.canSee(actor, one),
      );
      const page = paged(
        request,
        found.map((one) => payloads.repository(one)),
      );
      return { ...page, body: { total_count: found.length, repositories: page.body } };
    })
    .route('GET', '/api/v3/app', (request) => {
      credentials.requireApp(request.headers.authorization);
      return { body: { id: credentials.appId, slug: credentials.appSlug, name: 'Countersign reader' } };
    })
    .route('GET', '/api/v3/app/installations', (request) => {
      credentials.requireApp(request.headers.authorization);
      const bodies = credentials.installations.map(({ id, account, permissions, isSuspended }) => ({
        id,
        account: { login: account.login, id: account.id, type: isOrganization(account) ? 'Organization' : 'User' },
        permissions,
        suspended_at: isSuspended ? apiTime(new Date()) : null,
      }));
      return paged(request, bodies);
    })
    .route('POST', '/api/v3/app/installations/:id/access_tokens', (request) => {
      credentials.requireApp(request.headers.authorization);
      const installation = credentials.installations.find(({ id }) => id === Number(request.params.id));
      if (!installation) throw notFound();
      if (installation.isSuspended) throw refusal(403, 'This installation has been suspended');
      return {
        status: 201,
        body: { ...credentials.createInstallationToken(installation), permissions: installation.permissions },
      };
    })
    .route('GET', '/api/v3/orgs/:org', (request) => {
      const actor = actorOf(request);
      const organization = [...world.organizations.values()].find(({ login }) => login === request.params.org);
      if (!organization) throw notFound();
      const { id, login, basePermission } = organization;
      const isOwner = actor.installation
        ? actor.installation.account === organization && actor.permissions.members
        : organization.members.get(actor.user!.id) === 'admin';
      return { body: { id, login, ...(isOwner && { default_repository_permission: basePermission }) } };
    })
    .route('GET', '/api/v3/orgs/:org/members', (request) => {
      const actor = actorOf(request);
      const organization = [...world.organizations.values()].find(({ login }) => login === request.params.org);
      if (!organization) throw notFound();
      if (actor.installation) credentials.require(actor, 'members');
      const isInside =
        actor.installation?.account.id === organization.id || organization.members.has(actor.user?.id ?? 0);
      // others see only public members, and the simulator has none
      const ids = isInside ? [...organization.members.keys()] : [];
      return paged(
        request,
        ids.map((id) => payloads.user(id)!),
      );
    });

  const onRepository = (method: string, path: string, handler: RepositoryHandler) => {
    http.route(method, `/api/v3/repositories/:repository${path}`, (request) => {
      const actor = actorOf(request);
      const repository = world.repositories.get(Number(request.params.repository));
      if (!repository || !credentials.canSee(actor, repository)) throw notFound();
      return handler(repository, request, actor);
    });
    http.route(method, `/api/v3/repos/:owner/:name${path}`, (request) => {
      const actor = actorOf(request);
      const { owner, name } = request.params;
      const repository = world.findRepository(owner, name);
      if (repository && credentials.canSee(actor, repository)) return handler(repository, request, actor);
      const former = world.formerNames.get(`${owner}/${name}`.toLowerCase());
      if (!former || repository) throw notFound();
      const [, , , , , ...rest] = request.path.split('/');
      const suffix = [former, ...rest.slice(1)].join('/');
      const location = `${payloads.api}/repositories/${suffix}${request.query.size ? `?${request.query}` : ''}`;
      return { status: method === 'GET' ? 301 : 307, headers: { location }, body: { message: 'Moved Permanently' } };
    });
  };

  onRepository('GET', '', (repository, _request, { user }) => ({
    body: user
      ? withPermissions(payloads.repository(repository), credentials.userRole(user, repository))
      : payloads.repository(repository),
  }));

  onRepository('GET', '/collaborators', (repository, request, actor) => {
    if (!credentials.canListCollaborators(actor, repository))
      throw refusal(403, 'Must have push access to view repository collaborators.');
    const affiliation = request.query.get('affiliation') ?? 'all';
    const members = isOrganization(repository.owner) ? repository.owner.members : new Map<number, string>();
    const direct = [...repository.direct.keys()];
    const outside = direct.filter((id) => !members.has(id));
    const ids = affiliation === 'all' ? [...world.users.keys()] : affiliation === 'outside' ? outside : direct;
    const bodies = ids.flatMap((id) => {
      const role = world.roleOf(repository, id);
      return role ? [{ ...withPermissions(payloads.user(id)!, role), role_name: role }] : [];
    });
    return paged(request, bodies);
  });

  onRepository('GET', '/issues', (repository, request, actor) => {
    credentials.require(actor, 'issues');
    const { query } = request;
    const since = query.get('since') ? Date.parse(query.get('since')!) : 0;
    const isByUpdate = query.get('sort') === 'updated';
    const direction = query.get('direction') === 'asc' ? 1 : -1;
    const known = issuesByUpdate.get(repository);
    const version = `${isByUpdate} ${repository.issues.size} ${repository.issueVersion}`;
    const timeOf = ({ updatedAt, createdAt }: GithubIssue) => (isByUpdate ? updatedAt : createdAt).getTime();
    const sorted =
      known?.version === version
        ? known.sorted
        : [...repository.issues.values()].sort((a, b) => timeOf(a) - timeOf(b) || a.id - b.id);
    issuesByUpdate.set(repository, { version, sorted });
    const horizon = world.now() - limits.lagMs;
    let found = sorted.slice(isByUpdate ? firstAtLeast(sorted, since, timeOf) : 0);
    if (!isByUpdate && since) found = found.filter(({ updatedAt }) => updatedAt.getTime() >= since);
    if (limits.lagMs) found = found.filter(({ updatedAt }) => updatedAt.getTime() <= horizon);
    const state = query.get('state') ?? 'open';
    if (state !== 'all') found = found.filter((one) => one.state === state);
    if (direction < 0) found = found.toReversed();
    return paged(request, found, undefined, (issue) => payloads.issue(repository, issue));
  });

  const commentsSince = <T extends { updatedAt: Date }>(request: SimulatedRequest, comments: T[]) => {
    const since = request.query.get('since') ? Date.parse(request.query.get('since')!) : 0;
    return comments
      .filter(({ updatedAt }) => updatedAt.getTime() >= since)
      .sort((a, b) => a.updatedAt.getTime() - b.updatedAt.getTime());
  };
  onRepository('GET', '/issues/comments', (repository, request, actor) => {
    credentials.require(actor, 'issues');
    const all = [...repository.issues.values()].flatMap((issue) =>
      issue.comments.map((comment) => ({ issue, comment, updatedAt: comment.updatedAt })),
    );
    return paged(request, commentsSince(request, all), undefined, ({ issue, comment }) =>
      payloads.comment(repository, issue, comment),
    );
  });
  onRepository('GET', '/pulls/comments', (repository, request, actor) => {
    credentials.require(actor, 'pull_requests');
    const all = [...repository.issues.values()].flatMap((issue) =>
      (issue.pull?.reviewComments ?? []).map((comment) => ({ issue, comment, updatedAt: comment.updatedAt })),
    );
    return paged(request, commentsSince(request, all), undefined, ({ issue, comment }) =>
      payloads.reviewComment(repository, issue, comment),
    );
  });

  const issueOf = (repository: GithubRepository, request: SimulatedRequest, actor: GithubActor): GithubIssue => {
    credentials.require(actor, 'issues');
    const number = Number(request.params.number);
    const issue = repository.issues.get(number);
    if (issue) return issue;
    const former = repository.formerIssues.get(number);
    if (former === 'deleted') throw refusal(410, 'This issue was deleted');
    const target = former && world.repositories.get(former.repository);
    if (!former || !target || !credentials.canSee(actor, target)) throw notFound();
    const location = `${payloads.api}/repositories/${target.id}/issues/${former.number}`;
    throw new SimulatedRefusal({
      status: 301,
      headers: { location },
      body: { message: 'Moved Permanently', url: location },
    });
  };
  onRepository('GET', '/issues/:number', (repository, request, actor) => ({
    body: payloads.issue(repository, issueOf(repository, request, actor)),
  }));

  const requireWrite = (repository: GithubRepository, actor: GithubActor, least: 'read' | 'triage') => {
    credentials.require(actor, 'issues', 'write');
    if (repository.isArchived) throw refusal(403, 'Repository was archived so is read-only.');
    if (actor.user && !hasRole(credentials.userRole(actor.user, repository), least)) throw notFound();
    return actor.user ?? [...world.users.values()].find(({ login }) => login === `${credentials.appSlug}[bot]`) ?? null;
  };
  onRepository('POST', '/issues', (repository, request, actor) => {
    const author = requireWrite(repository, actor, 'read');
    const {
      title,
      body = null,
      labels = [],
    } = (request.body ?? {}) as { title?: string; body?: string | null; labels?: string[] };
    if (!title) throw refusal(422, 'Validation Failed', [{ resource: 'Issue', field: 'title', code: 'missing_field' }]);
    const issue = world.addIssue(repository, author, title, { body, labels });
    return { status: 201, body: payloads.issue(repository, issue) };
  });
  onRepository('POST', '/issues/:number/comments', (repository, request, actor) => {
    const author = requireWrite(repository, actor, 'read');
    const issue = issueOf(repository, request, actor);
    const { body } = (request.body ?? {}) as { body?: string };
    if (!body)
      throw refusal(422, 'Validation Failed', [{ resource: 'IssueComment', field: 'body', code: 'missing_field' }]);
    const comment = world.addComment(repository, issue, author, body);
    return { status: 201, body: payloads.comment(repository, issue, comment) };
  });
  onRepository('PATCH', '/issues/:number', (repository, request, actor) => {
    requireWrite(repository, actor, 'triage');
    const issue = issueOf(repository, request, actor);
    const { state, state_reason } = (request.body ?? {}) as { state?: 'open' | 'closed'; state_reason?: string | null };
    if (state && state !== 'open' && state !== 'closed') throw refusal(422, 'Validation Failed');
    if (state && issue.pull?.mergedAt) throw refusal(422, 'Validation Failed');
    if (state)
      world.editIssue(repository, issue, {
        state,
        stateReason: state === 'open' ? 'reopened' : (state_reason ?? 'completed'),
      });
    return { body: payloads.issue(repository, issue) };
  });

  onRepository('GET', '/commits/:ref', (repository, request, actor) => {
    credentials.require(actor, 'contents');
    if (!repository.head) throw refusal(409, 'Git Repository is empty.');
    const { sha, tree } = repository.head;
    if (![repository.defaultBranch, sha].includes(request.params.ref))
      throw refusal(422, `No commit found for SHA: ${request.params.ref}`);
    const url = `${payloads.api}/repositories/${repository.id}/git`;
    return { body: { sha, commit: { message: 'Update', tree: { sha: tree.sha, url: `${url}/trees/${tree.sha}` } } } };
  });
  onRepository('GET', '/git/trees/:sha', (repository, request, actor) => {
    credentials.require(actor, 'contents');
    if (!repository.head) throw refusal(409, 'Git Repository is empty.');
    const { sha } = request.params;
    const [root, folder = ''] = sha.split('~');
    const known = world.trees.get(root);
    if (!known) throw notFound();
    const prefix = folder ? `${Buffer.from(folder, 'hex').toString()}/` : '';
    const isRecursive = request.query.has('recursive');
    const entries = treeEntries(root, known.files, prefix, isRecursive);
    const isTruncated = isRecursive && entries.length > limits.treeEntries;
    const shown = isTruncated ? entries.slice(0, limits.treeEntries) : entries;
    return { body: { sha, tree: shown, truncated: isTruncated } };
  });
  onRepository('GET', '/git/blobs/:sha', (_repository, request, actor) => {
    credentials.require(actor, 'contents');
    const bytes = world.blobs.get(request.params.sha);
    if (!bytes) throw notFound();
    return {
      body: { sha: request.params.sha, size: bytes.length, encoding: 'base64', content: bytes.toString('base64') },
    };
  });
}

/** The simulated hash of a tree below the root contains the hash of the root and the folder. */
function treeEntries(
  root: string,
  files: ReadonlyMap<string, { sha: string; size: number; mode: string }>,
  prefix: string,
  isRecursive: boolean,
): object[] {
  const folders = new Map<string, object>();
  const blobs: object[] = [];
  for (const [path, { sha, size, mode }] of files) {
    if (!path.startsWith(prefix)) continue;
    const rest = path.slice(prefix.length);
    const parts = rest.split('/');
    for (let depth = 1; depth < parts.length && (isRecursive || depth === 1); depth++) {
      const name = parts.slice(0, depth).join('/');
      const full = Buffer.from(prefix + name).toString('hex');
      folders.set(name, { path: name, mode: '040000', type: 'tree', sha: `${root}~${full}` });
    }
    const type = mode === '160000' ? 'commit' : 'blob';
    if (isRecursive || parts.length === 1)
      blobs.push({ path: rest, mode, type, sha, ...(type === 'blob' && { size }) });
  }
  return [...folders.values(), ...blobs];
}

/** /user/repos lists repositories that the person owns, collaborates on, or can access as an organization member. */
const isStranger = (world: GithubWorld, repository: GithubRepository, userId: number): boolean =>
  world.roleOf(repository, userId) === null &&
  !(isOrganization(repository.owner) && repository.owner.members.has(userId));

const withPermissions = (body: object, role: ReturnType<GithubWorld['roleOf']>): object => ({
  ...body,
  permissions: {
    admin: hasRole(role, 'admin'),
    maintain: hasRole(role, 'maintain'),
    push: hasRole(role, 'write'),
    triage: hasRole(role, 'triage'),
    pull: hasRole(role, 'read'),
  },
});

function firstAtLeast(sorted: GithubIssue[], since: number, timeOf: (issue: GithubIssue) => number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (timeOf(sorted[middle]) < since) low = middle + 1;
    else high = middle;
  }
  return low;
}

function paged<T extends object>(
  { query, path, origin, headers: requestHeaders }: SimulatedRequest,
  rows: T[],
  headers: Record<string, string> = {},
  toBody: (row: T) => object = (row) => row,
): SimulatedReply {
  const size = Math.min(100, Number(query.get('per_page') ?? 30));
  const page = Number(query.get('page') ?? 1);
  const shown = rows.slice((page - 1) * size, page * size).map(toBody);
  const last = Math.max(1, Math.ceil(rows.length / size));
  const linkTo = (to: number, rel: string) => {
    const target = new URLSearchParams(query);
    target.set('page', String(to));
    return `<${origin}${path}?${target}>; rel="${rel}"`;
  };
  const link =
    page < last
      ? { link: [linkTo(page + 1, 'next'), linkTo(last, 'last')].join(', ') }
      : ({} as Record<string, string>);
  const etag = etagOf(JSON.stringify(shown) + (link.link ?? ''));
  if (requestHeaders['if-none-match'] === etag) return { status: 304, headers: { etag } };
  return { body: shown, headers: { etag, ...link, ...headers } };
}

const etagOf = (text: string): string => `W/"${createHash('sha1').update(text).digest('hex')}"`;

const refusal = (status: number, message: string, errors?: object[]): SimulatedRefusal =>
  new SimulatedRefusal({
    status,
    body: {
      message,
      ...(errors && { errors }),
      documentation_url: 'https://docs.github.com/rest',
      status: String(status),
    },
  });
const notFound = (): SimulatedRefusal => refusal(404, 'Not Found');
