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

/** Who may read each repository, as GitHub itself counts it. */
export async function* githubRoster(context: ConnectionContext): AsyncGenerator<RosterEntry> {
  const api = new GithubApi(context);
  const roster = new GithubRoster(api, context);
  for (const repository of await chosenGithubRepositories(api, context.settings)) yield* roster.repository(repository);
  yield* roster.accounts();
}

class GithubRoster {
  private readonly people = new Map<number, GithubPerson>();
  /** The logins of organizations, with their people, whose addresses they may have verified. */
  private readonly peopleByOrganization = new Map<string, Set<number>>();
  /** Ids of groups that were yielded; null if their members cannot be read. */
  private readonly groups = new Map<number, string | null>();

  constructor(
    private readonly api: GithubApi,
    private readonly context: ConnectionContext,
  ) {}

  async *repository(repository: GithubRepositoryInfo): AsyncGenerator<RosterEntry> {
    const { site } = this.api;
    const { id, full_name: title } = repository;
    const url = `${site.webUrl}/${title}`;
    const audience = { id: githubAudienceId(site, id), title, url };
    const visibility = githubVisibility(repository);
    if (visibility === 'public')
      yield { audience: { ...audience, rule: 'Public repository: everyone.', readers: 'everyone' } };
    else if (visibility === 'internal') yield* this.internal(repository, audience);
    else yield { audience: { ...audience, ...(await this.collaborators(repository, 'all')) } };
  }

  async *accounts(): AsyncGenerator<RosterEntry> {
    const emails = await githubVerifiedEmails(this.api, this.people, this.peopleByOrganization, this.context.log);
    for (const { id, login } of this.people.values()) {
      const email = emails.get(id);
      const account: SourceAccount = { id: githubAccountId(this.api.site, id), name: login, ...(email && { email }) };
      yield { account };
    }
  }

  private async *internal(
    repository: GithubRepositoryInfo,
    audience: Pick<SourceAudience, 'id' | 'title' | 'url'>,
  ): AsyncGenerator<RosterEntry> {
    const { owner } = repository;
    if (!this.groups.has(owner.id)) {
      const members = await this.membersOf(owner.login);
      const group = members && `${this.api.site.host}/organizations/${owner.id}`;
      this.groups.set(owner.id, group);
      if (group) yield { group: { id: group, accounts: members.map(({ id }) => githubAccountId(this.api.site, id)) } };
    }
    const group = this.groups.get(owner.id);
    const outside = await this.collaborators(repository, 'outside');
    const members = this.enterprise ? `the enterprise ${this.enterprise}` : `the organization ${owner.login}`;
    if (!group)
      yield {
        audience: {
          ...audience,
          rule: `Internal repository: the members of ${members} cannot be read.`,
          readers: 'unreadable',
        },
      };
    else {
      const accounts = typeof outside.readers === 'string' ? [] : (outside.readers[0].accounts ?? []);
      const rule = `Internal repository: members of ${members}, and outside collaborators.`;
      yield { audience: { ...audience, rule, readers: [{ groups: [group], accounts }] } };
    }
  }

  /** The effective readers: direct, by teams with their child teams, by the base permission, and owners. */
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
        for (const one of items) if (one.permissions?.pull !== false) accounts.push(...this.add(one, repository.owner));
    } catch (error) {
      if (!isSourceFault(error, 'forbidden', 'missing')) throw error;
      const rule = `Private repository: GitHub does not tell this credential who may read it${error.quote ? ` (${error.quote})` : ''}.`;
      return { rule, readers: 'unreadable' };
    }
    const rule = 'Private repository: its collaborators, with teams, the base permission and organization owners.';
    return { rule, readers: [{ accounts }] };
  }

  private get enterprise(): string {
    return String(this.context.settings.enterprise ?? '').trim();
  }

  /** An internal repository is open to the whole enterprise, which only an enterprise owner can list. */
  private async membersOf(organization: string): Promise<User[] | null> {
    try {
      const members = this.enterprise ? await this.enterpriseMembers() : await this.organizationMembers(organization);
      return members.filter((one) => this.add(one, { login: organization, type: 'Organization' }).length);
    } catch (error) {
      if (!isSourceFault(error, 'forbidden', 'missing')) throw error;
      this.context.log.warn(
        { organization, reason: error.message },
        'members for internal repositories cannot be read',
      );
      return null;
    }
  }

  private async organizationMembers(organization: string): Promise<User[]> {
    const path = `/orgs/${encodeURIComponent(organization)}/members`;
    const members: User[] = [];
    for await (const { items } of pagesByLink(this.api.rest, { path, item: user, query: { per_page: 100 } }))
      members.push(...items);
    return members;
  }

  private async enterpriseMembers(): Promise<User[]> {
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
      const { enterprise } = await this.api.query(enterpriseMembers, { slug: this.enterprise, after }, data);
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

  /** Apps and bots read nothing here. */
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
