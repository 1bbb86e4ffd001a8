import { z } from 'zod';
import type { ConnectionContext } from '../../connections/connector-registry.service.js';
import type { RosterEntry, SourceAccount, SourceAudience } from '../../connections/knowledge-source.port.js';
import { pagesByCursor, pagesByLink } from '../source-kit/source-pages.js';
import { isSourceFault } from '../source-kit/source-request.error.js';
import { GithubApi } from './github-api.js';
import { githubVerifiedEmails, type GithubPerson } from './github-emails.js';
import { chosenGithubRepositories, githubVisibility, type GithubRepositoryInfo } from './github-repositories.js';
import { githubAccountId, githubAudienceId } from './github-site.js';

const user = z.object({
  id: z.number().int(),
  node_id: z.string(),
  login: z.string(),
  type: z.string(),
  permissions: z.object({ pull: z.boolean() }).optional(),
});
type User = z.output<typeof user>;

const enterpriseMembers = `query($slug: String!, $after: String) { enterprise(slug: $slug) { members(first: 100, after: $after) {
  pageInfo { hasNextPage endCursor }
  nodes { ... on EnterpriseUserAccount { user { id databaseId login } } ... on User { id databaseId login } } } } }`;

/** The readers of each repository, according to GitHub's own effective permissions. */
export async function* githubRoster(context: ConnectionContext): AsyncGenerator<RosterEntry> {
  const api = new GithubApi(context);
  const roster = new GithubRoster(api, context);
  for (const repository of await chosenGithubRepositories(api, context.settings)) yield* roster.repository(repository);
  yield* roster.accounts();
}

class GithubRoster {
  private readonly people = new Map<number, GithubPerson>();
  /** The ids of people by the login of the organization that can verify their addresses. */
  private readonly peopleByOrganization = new Map<string, Set<number>>();
  /** The groups so far. False if the members cannot be read. */
  private readonly groups = new Map<string, boolean>();
  private readonly basePermissions = new Map<string, string>();

  constructor(
    private readonly api: GithubApi,
    private readonly context: ConnectionContext,
  ) {}

  async *repository(repository: GithubRepositoryInfo): AsyncGenerator<RosterEntry> {
    const { site } = this.api;
    const { id, full_name: title, owner } = repository;
    const audience = { id: githubAudienceId(site, id), title, url: `${site.webUrl}/${title}` };
    const visibility = githubVisibility(repository);
    if (visibility === 'public') {
      yield { audience: { ...audience, rule: 'Public repository: everyone.', readers: 'everyone' } };
      return;
    }
    const organization = `${site.host}/organizations/${owner.id}`;
    const isOpenToMembers = visibility === 'private' && (await this.isOpenToMembers(owner));
    if (isOpenToMembers) yield* this.group(organization, owner.login, () => this.organizationMembers(owner.login));
    if (isOpenToMembers && this.groups.get(organization)) {
      const rule = `Private repository: the base permission of ${owner.login} lets its members read it, and outside collaborators.`;
      yield { audience: { ...audience, ...(await this.membersAndOutside(repository, organization, rule)) } };
    } else if (visibility === 'private')
      yield { audience: { ...audience, ...(await this.collaborators(repository, 'all')) } };
    else yield* this.internal(repository, audience, organization);
  }

  async *accounts(): AsyncGenerator<RosterEntry> {
    const emails = await githubVerifiedEmails(this.api, this.people, this.peopleByOrganization, this.context.log);
    for (const { id, login } of this.people.values()) {
      const email = emails.get(id);
      const account: SourceAccount = { id: githubAccountId(this.api.site, id), name: login, ...(email && { email }) };
      yield { account };
    }
  }

  /** All members of the enterprise can read it, but only enterprise owners can list the members. */
  private async *internal(
    repository: GithubRepositoryInfo,
    audience: Pick<SourceAudience, 'id' | 'title' | 'url'>,
    organization: string,
  ): AsyncGenerator<RosterEntry> {
    const { login } = repository.owner;
    const enterprise = String(this.context.settings.enterprise ?? '').trim();
    const group = enterprise ? `${this.api.site.host}/enterprises/${enterprise}` : organization;
    const holder = enterprise ? `the enterprise ${enterprise}` : `the organization ${login}`;
    yield* this.group(group, login, () =>
      enterprise ? this.enterpriseMembers(enterprise) : this.organizationMembers(login),
    );
    if (!this.groups.get(group)) {
      const rule = `Internal repository: the members of ${holder} cannot be read.`;
      yield { audience: { ...audience, rule, readers: 'unreadable' } };
      return;
    }
    const rule = `Internal repository: members of ${holder}, and outside collaborators.`;
    yield { audience: { ...audience, ...(await this.membersAndOutside(repository, group, rule)) } };
  }

  /** Yields each group once, so that 1,000 repositories do not repeat 50,000 members. */
  private async *group(id: string, organization: string, read: () => Promise<User[]>): AsyncGenerator<RosterEntry> {
    if (this.groups.has(id)) return;
    try {
      const accounts: string[] = [];
      for (const one of await read()) accounts.push(...this.add(one, { login: organization, type: 'Organization' }));
      this.groups.set(id, true);
      yield { group: { id, accounts } };
    } catch (error) {
      if (!isSourceFault(error, 'forbidden', 'missing')) throw error;
      this.groups.set(id, false);
      this.context.log.warn({ organization, reason: error.message }, 'members cannot be read');
    }
  }

  private async membersAndOutside(
    repository: GithubRepositoryInfo,
    group: string,
    rule: string,
  ): Promise<Pick<SourceAudience, 'rule' | 'readers'>> {
    const { readers } = await this.collaborators(repository, 'outside');
    const accounts = typeof readers === 'string' ? [] : readers[0].accounts;
    return { rule, readers: [{ groups: [group], accounts }] };
  }

  /** False if the base permission is hidden, which only owners see. Then the collaborators of each repository are listed. */
  private async isOpenToMembers({ login, type }: GithubRepositoryInfo['owner']): Promise<boolean> {
    if (type !== 'Organization') return false;
    let permission = this.basePermissions.get(login);
    if (permission === undefined) {
      const schema = z.object({ default_repository_permission: z.string().nullish() });
      const organization = await this.api.rest
        .get(`/orgs/${encodeURIComponent(login)}`, schema)
        .catch((error: unknown) => {
          if (isSourceFault(error, 'forbidden', 'missing')) return null;
          throw error;
        });
      permission = organization?.default_repository_permission ?? 'none';
      this.basePermissions.set(login, permission);
    }
    return ['read', 'write', 'admin'].includes(permission);
  }

  /** "all" includes direct access, teams with their child teams, the base permission, and organization owners. */
  private async collaborators(
    repository: GithubRepositoryInfo,
    affiliation: 'all' | 'outside',
  ): Promise<Pick<SourceAudience, 'rule' | 'readers'>> {
    const path = `/repositories/${repository.id}/collaborators`;
    const accounts: string[] = [];
    try {
      for await (const { items } of pagesByLink(this.api.rest, {
        path,
        item: user,
        query: { affiliation, per_page: 100 },
      }))
        for (const one of items) if (one.permissions?.pull) accounts.push(...this.add(one, repository.owner));
    } catch (error) {
      if (!isSourceFault(error, 'forbidden', 'missing')) throw error;
      const rule = `Private repository: the credential cannot list its readers${error.quote ? ` (${error.quote})` : ''}.`;
      return { rule, readers: 'unreadable' };
    }
    const rule = 'Private repository: its collaborators, with teams, the base permission and organization owners.';
    return { rule, readers: [{ accounts }] };
  }

  private async organizationMembers(organization: string): Promise<User[]> {
    const path = `/orgs/${encodeURIComponent(organization)}/members`;
    const members: User[] = [];
    for await (const { items } of pagesByLink(this.api.rest, { path, item: user, query: { per_page: 100 } }))
      members.push(...items);
    return members;
  }

  private async enterpriseMembers(slug: string): Promise<User[]> {
    const node = z.object({ id: z.string(), databaseId: z.number(), login: z.string() });
    const member = z.union([z.object({ user: node.nullable() }), node]);
    const data = z.object({
      enterprise: z.object({
        members: z.object({
          pageInfo: z.object({ hasNextPage: z.boolean(), endCursor: z.string().nullish() }),
          nodes: z.array(member.nullable()),
        }),
      }),
    });
    const read = async (after: string | null) => {
      const { enterprise } = await this.api.query(enterpriseMembers, { slug, after }, data);
      const { nodes, pageInfo } = enterprise.members;
      return { items: nodes, next: pageInfo.hasNextPage ? (pageInfo.endCursor ?? null) : null };
    };
    const members: User[] = [];
    for await (const { items } of pagesByCursor(read))
      for (const one of items) {
        const found = one && ('user' in one ? one.user : one);
        if (found) members.push({ id: found.databaseId, node_id: found.id, login: found.login, type: 'User' });
      }
    return members;
  }

  /** Ignores apps and bots. */
  private add({ id, node_id: node, login, type }: User, owner: { login: string; type: string }): string[] {
    if (type !== 'User') return [];
    this.people.set(id, { id, node, login });
    if (owner.type === 'Organization') {
      const people = this.peopleByOrganization.get(owner.login) ?? new Set();
      this.peopleByOrganization.set(owner.login, people.add(id));
    }
    return [githubAccountId(this.api.site, id)];
  }
}
