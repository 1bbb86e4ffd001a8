import { z } from 'zod';
import type { ConnectionContext } from '../../connections/connector-registry.service.js';
import type { ReaderSet, RosterEntry, SourceAccount, SourceAudience } from '../../connections/knowledge-source.port.js';
import { pagesByLink } from '../source-kit/source-pages.js';
import { updatedSince } from '../source-kit/updated-since.js';
import { isSourceFault } from '../source-kit/source-request.error.js';
import { GitlabApi } from './gitlab-api.js';
import { type GitlabGroup, listGitlabWikiGroups } from './gitlab-group-wikis.js';
import {
  canReadGitlabProject,
  chosenGitlabProjects,
  gitlabFeatureLevelOf,
  gitlabRoles,
  type GitlabProject,
} from './gitlab-projects.js';
import {
  gitlabAccountId,
  gitlabAudienceId,
  gitlabConfidentialAudienceId,
  gitlabGroupWikiAudienceId,
  type GitlabPart,
} from './gitlab-site.js';
import { gitlabPeopleOf } from './gitlab-threads.js';

const user = z.object({
  id: z.number().int(),
  username: z.string(),
  state: z.string(),
  /** One of the confirmed addresses of the person, who chose to show it. */
  public_email: z.string().nullish(),
  /** Only for owners of a group, and only of the enterprise users that the group manages. */
  email: z.string().nullish(),
});
type User = z.output<typeof user>;
const member = user.extend({
  access_level: z.number(),
  expires_at: z.string().nullish(),
  membership_state: z.string().nullish(),
});
const serverUser = user.extend({
  confirmed_at: z.string().nullish(),
  external: z.boolean().catch(true),
  bot: z.boolean().nullish(),
});
const confidentialIssue = z.object({
  id: z.number().int(),
  updated_at: z.iso.datetime({ offset: true }),
  confidential: z.boolean().optional(),
  author: user.nullish(),
  assignees: z.array(user).nullish(),
});

const parts: Record<GitlabPart, string> = {
  issues: 'Issues',
  merge_requests: 'Merge requests',
  code: 'Files',
  wiki: 'Wiki pages',
};
/** Users of access tokens of a project or group. */
const bot = /^(project|group)_\d+_bot(_|\d|$)/;

/** The readers of each part of each project. */
export async function* gitlabRoster(context: ConnectionContext): AsyncGenerator<RosterEntry> {
  const api = new GitlabApi(context);
  const roster = new GitlabRoster(api, context);
  const projects = await chosenGitlabProjects(api, context.settings);
  yield* roster.server();
  for (const project of projects) yield* roster.project(project);
  for (const group of await listGitlabWikiGroups(api, context.settings)) yield* roster.groupWiki(group);
  yield* roster.accounts();
}

class GitlabRoster {
  private readonly people = new Map<number, SourceAccount>();
  /** The group of all users of the server. Null if the token cannot list them. */
  private everyUser: string | null = null;

  constructor(
    private readonly api: GitlabApi,
    private readonly context: ConnectionContext,
  ) {}

  /** Only administrators see who is an external user, and the confirmed addresses. */
  async *server(): AsyncGenerator<RosterEntry> {
    if (!(await this.api.whoAmI()).isAdmin) return;
    const accounts: string[] = [];
    const query = { active: true, order_by: 'id', sort: 'asc', per_page: 100 };
    for await (const { items } of pagesByLink(this.api.rest, { path: '/users', item: serverUser, query }))
      for (const one of items) {
        const email = one.email && one.confirmed_at ? one.email : null;
        if (!one.bot && this.add({ ...one, email }) && !one.external)
          accounts.push(gitlabAccountId(this.api.site, one.id));
      }
    this.everyUser = `${this.api.site.host}/internal-users`;
    yield { group: { id: this.everyUser, accounts } };
  }

  async *project(project: GitlabProject): AsyncGenerator<RosterEntry> {
    if (!(await canReadGitlabProject(this.api, project))) {
      for (const part of Object.keys(parts) as GitlabPart[])
        yield this.audience(project, part, 'The token needs the role Reporter in the project.', 'unreadable');
      return;
    }
    const base = `${this.api.site.host}/projects/${project.id}`;
    const members = `${base}/members`;
    const reporters = `${base}/reporters`;
    try {
      yield* this.members(`/projects/${project.id}`, {
        [members]: gitlabRoles.guest,
        [reporters]: gitlabRoles.reporter,
      });
    } catch (error) {
      if (!isSourceFault(error, 'forbidden')) throw error;
      this.context.log.warn({ project: project.id, reason: error.message }, 'members cannot be read');
      for (const part of Object.keys(parts) as GitlabPart[])
        yield this.audience(project, part, 'The token cannot list the members of the project.', 'unreadable');
      return;
    }
    for (const part of Object.keys(parts) as GitlabPart[]) {
      const { rule, readers } = this.readersOf(project, part, members, reporters);
      yield this.audience(project, part, rule, readers);
    }
    if (gitlabFeatureLevelOf(project, 'issues') !== 'disabled') yield* this.confidential(project, members, reporters);
  }

  async *groupWiki(group: GitlabGroup): AsyncGenerator<RosterEntry> {
    const { host, webUrl } = this.api.site;
    const members = `${host}/groups/${group.id}/members`;
    const audience = {
      id: gitlabGroupWikiAudienceId(this.api.site, group.id),
      title: `${group.full_path}: wiki of the group`,
      url: `${webUrl}/groups/${group.full_path}/-/group_members`,
    };
    try {
      yield* this.members(`/groups/${group.id}`, { [members]: gitlabRoles.guest });
      yield { audience: { ...audience, ...this.readersOfGroupWiki(group, members) } };
    } catch (error) {
      if (!isSourceFault(error, 'forbidden')) throw error;
      const rule = 'The token cannot list the members of the group.';
      yield { audience: { ...audience, rule, readers: 'unreadable' } };
    }
  }

  private readersOfGroupWiki(
    { visibility, wiki_access_level: level }: GitlabGroup,
    members: string,
  ): Pick<SourceAudience, 'rule' | 'readers'> {
    const isOpen = level !== 'private';
    if (isOpen && visibility === 'public') return { rule: 'Public group: everyone.', readers: 'everyone' };
    if (isOpen && visibility === 'internal' && this.everyUser !== null)
      return {
        rule: 'Internal group: all users of the server except external ones, and its members.',
        readers: [{ groups: [this.everyUser, members] }],
      };
    return {
      rule: 'Members of the group, with those of its parents and invited groups.',
      readers: [{ groups: [members] }],
    };
  }

  *accounts(): Generator<RosterEntry> {
    for (const account of this.people.values()) yield { account };
  }

  /** Includes inherited members and members of invited groups, with their effective role. */
  private async *members(path: string, roleOfGroup: Record<string, number>): AsyncGenerator<RosterEntry> {
    const request = { path: `${path}/members/all`, item: member, bucket: 'members' };
    const levels = new Map<number, number>();
    const today = new Date().toISOString().slice(0, 10);
    for await (const { items } of pagesByLink(this.api.rest, { ...request, query: { per_page: 100 } }))
      for (const one of items) {
        const isOver = one.expires_at && one.expires_at.slice(0, 10) <= today;
        if (isOver || (one.membership_state ?? 'active') !== 'active' || !this.add(this.withConfirmed(one))) continue;
        levels.set(one.id, Math.max(one.access_level, levels.get(one.id) ?? 0));
      }
    const withRole = (role: number) =>
      [...levels].flatMap(([id, level]) => (level >= role ? [gitlabAccountId(this.api.site, id)] : []));
    for (const [id, role] of Object.entries(roleOfGroup)) yield { group: { id, accounts: withRole(role) } };
  }

  private readersOf(
    project: GitlabProject,
    part: GitlabPart,
    members: string,
    reporters: string,
  ): Pick<SourceAudience, 'rule' | 'readers'> {
    const level = gitlabFeatureLevelOf(project, part);
    if (level === 'disabled')
      return { rule: `${parts[part]} are disabled in this project: no one.`, readers: [{ accounts: [] }] };
    const isOpen = level !== 'private';
    if (isOpen && project.visibility === 'public') return { rule: 'Public project: everyone.', readers: 'everyone' };
    if (isOpen && project.visibility === 'internal')
      return this.everyUser === null
        ? {
            rule: 'Internal project: its members. All users of the server can only be listed by an administrator.',
            readers: [{ groups: [members] }],
          }
        : {
            rule: 'Internal project: all users of the server except external ones, and members of the project.',
            readers: [{ groups: [this.everyUser, members] }],
          };
    return part === 'issues' || part === 'wiki'
      ? {
          rule: 'Members of the project, with those of its groups and invited groups.',
          readers: [{ groups: [members] }],
        }
      : { rule: 'Members of the project with at least the role Reporter.', readers: [{ groups: [reporters] }] };
  }

  private async *confidential(project: GitlabProject, members: string, reporters: string): AsyncGenerator<RosterEntry> {
    const { rest, site } = this.api;
    const plain = this.readersOf(project, 'issues', members, reporters).readers;
    const ids = new Map<string, ReaderSet>();
    ids.set(gitlabConfidentialAudienceId(site, project.id, []), { groups: [reporters] });
    const query = {
      confidential: 'true',
      scope: 'all',
      state: 'all',
      order_by: 'updated_at',
      sort: 'asc',
    };
    const path = `/projects/${project.id}/issues`;
    const list = { path, query, sinceParameter: 'updated_after', item: confidentialIssue };
    // GitLab limits lists by page number to 50,000 items
    for await (const { items } of updatedSince(rest, list, { since: null }))
      for (const { author, assignees, confidential } of items) {
        if (confidential === false) continue;
        const id = gitlabConfidentialAudienceId(site, project.id, gitlabPeopleOf({ author, assignees }));
        if (ids.has(id)) continue;
        const named = [...(author ? [author] : []), ...(assignees ?? [])].filter((one) => this.add(one));
        ids.set(id, { groups: [reporters], accounts: named.map((one) => gitlabAccountId(site, one.id)) });
      }
    for (const [id, allowed] of ids) {
      const readers = typeof plain === 'string' ? [allowed] : [...plain, allowed];
      const rule = 'Confidential issue: members with at least the role Reporter, its author and its assignees.';
      yield { audience: { ...this.named(project, 'confidential issues'), id, rule, readers } };
    }
  }

  private audience(
    project: GitlabProject,
    part: GitlabPart,
    rule: string,
    readers: SourceAudience['readers'],
  ): { audience: SourceAudience } {
    const id = gitlabAudienceId(this.api.site, project.id, part);
    return { audience: { ...this.named(project, parts[part].toLowerCase()), id, rule, readers } };
  }

  private named({ path_with_namespace: path }: GitlabProject, content: string): Pick<SourceAudience, 'title' | 'url'> {
    return { title: `${path}: ${content}`, url: `${this.api.site.webUrl}/${path}/-/project_members` };
  }

  /** An administrator sees all addresses of members. The list of users shows which of them are confirmed. */
  private withConfirmed(one: User): User {
    return this.everyUser === null ? one : { ...one, email: null };
  }

  /** False for bots and for accounts that are blocked or deactivated. */
  private add({ id, username, state, email, public_email: shown }: User): boolean {
    if (state !== 'active' || bot.test(username)) return false;
    const address = email ?? this.people.get(id)?.email ?? shown;
    this.people.set(id, {
      id: gitlabAccountId(this.api.site, id),
      name: username,
      ...(address && { email: address }),
    });
    return true;
  }
}
