import { z } from 'zod';
import type { ConnectionContext } from '../../connections/connector-registry.service.js';
import type { ReaderSet } from '../../connections/knowledge-source.port.js';
import { atlassianClient, siteOf } from '../atlassian/atlassian-site.js';
import type { SourceClient } from '../source-kit/source-client.js';
import { isSourceFault } from '../source-kit/source-request.error.js';
import { toAdf } from './adf-document.js';
import { adfToMarkdown } from './adf.js';
import {
  listedFields,
  readFields,
  type JiraClient,
  type JiraClientOptions,
  type JiraIssuePage,
} from './jira-client.js';
import {
  readComments,
  readSecurityScheme,
  readServerTime,
  unreadableAnswer,
  type JiraSecurityScheme,
} from './jira-requests.js';
import {
  accountOfToken,
  applicationRole,
  bulkFetched,
  jiraComment,
  jiraProject,
  jiraUser,
  levelMember,
  offsetPage,
  ownPermissions,
  permissionScheme,
  projectRole,
  searchPage,
  type JiraComment,
  type JiraHolder,
  type JiraIssue,
  type JiraProject,
  type JiraUser,
} from './jira-schemas.js';

const api = '/rest/api/3';
/** Jira reduces it if more fields are requested. */
const mostPerPage = 5000;
const commentsPerPage = 100;
const usersPerPage = 200;
const membersPerPage = 50;
const inCreationOrder = 'ORDER BY created ASC';

/** Calls the REST API of Jira Cloud, version 3. */
export class JiraCloudClient implements JiraClient {
  readonly rest: SourceClient;
  readonly api = api;
  readonly site: string;
  readonly issuesPerRead = 100;
  readonly permissionNames = { administer: 'Administer Jira', browseUsers: 'Browse users and groups' };

  constructor(context: ConnectionContext, options: JiraClientOptions = {}) {
    this.rest = atlassianClient(context, { system: 'Jira', ...options });
    this.site = siteOf(context);
  }

  account(): Promise<z.infer<typeof accountOfToken>> {
    return this.rest.get(`${api}/myself`, accountOfToken);
  }

  async permissions(...names: string[]): Promise<Set<string>> {
    const { permissions } = await this.rest.get(`${api}/mypermissions`, ownPermissions, {
      permissions: names.join(','),
    });
    return new Set(names.filter((name) => permissions[name]?.havePermission));
  }

  serverTime(): Promise<number> {
    return readServerTime(this);
  }

  async projects(): Promise<JiraProject[]> {
    const projects: JiraProject[] = [];
    const path = `${api}/project/search`;
    const query = { expand: 'lead', orderBy: 'key', status: 'live' };
    for await (const page of this.offsetPages(path, jiraProject, 50, query)) projects.push(...page);
    return projects;
  }

  async count(jql: string): Promise<number> {
    const schema = z.object({ count: z.number() });
    const request = { method: 'POST', path: `${api}/search/approximate-count`, body: { jql }, isRead: true } as const;
    return (await this.rest.request({ ...request, schema })).body.count;
  }

  async *search(condition: string, from: string | null = null): AsyncGenerator<JiraIssuePage> {
    const jql = `${condition} ${inCreationOrder}`;
    const visited = new Set<string>();
    let token = from;
    do {
      const body = { jql, fields: listedFields, maxResults: mostPerPage, ...(token && { nextPageToken: token }) };
      const request = { method: 'POST', path: `${api}/search/jql`, body, isRead: true, schema: searchPage } as const;
      const { issues, nextPageToken, isLast } = (await this.rest.request(request)).body;
      const next = nextPageToken || null;
      if (next === null && isLast === false)
        throw unreadableAnswer('Jira ended a list of issues before its last page.');
      if (next !== null && (next === token || visited.has(next)))
        throw unreadableAnswer('Jira returned the same page of issues twice, so the list never ends.');
      if (next !== null) visited.add(next);
      yield { issues, next };
      token = next;
    } while (token !== null);
  }

  /** A number is in milliseconds since 1970. Date literals have the precision of a minute and the account's time zone. */
  updatedSince(condition: string, since: number): AsyncGenerator<JiraIssuePage> {
    return this.search(`${condition} AND updated >= ${since}`);
  }

  async *children(parents: readonly JiraIssue[]): AsyncGenerator<JiraIssuePage> {
    try {
      yield* this.search(`parent in (${parents.map(({ id }) => id).join(', ')})`);
    } catch (error) {
      // a deleted parent makes the query invalid
      if (!isSourceFault(error, 'refused')) throw error;
    }
  }

  async issues(ids: readonly string[]): Promise<Map<string, JiraIssue>> {
    return new Map((await this.fetchIssues(ids, readFields)).map((issue) => [issue.id, issue]));
  }

  currentIssues(idsOrKeys: readonly string[]): Promise<JiraIssue[]> {
    return this.fetchIssues(idsOrKeys, listedFields);
  }

  private async fetchIssues(ids: readonly string[], fields: readonly string[]): Promise<JiraIssue[]> {
    const body = { issueIdsOrKeys: ids, fields };
    const request = {
      method: 'POST',
      path: `${api}/issue/bulkfetch`,
      body,
      isRead: true,
      schema: bulkFetched,
    } as const;
    return (await this.rest.request(request)).body.issues;
  }

  comments(issueId: string): AsyncGenerator<JiraComment[]> {
    return readComments(this, issueId, jiraComment, { maxResults: commentsPerPage });
  }

  toMarkdown(body: unknown): string {
    return adfToMarkdown(body);
  }

  fromWritten(text: string): unknown {
    return toAdf(text);
  }

  async browseHolders(projectId: string): Promise<JiraHolder[]> {
    const path = `${api}/project/${encodeURIComponent(projectId)}/permissionscheme`;
    const { permissions } = await this.rest.get(path, permissionScheme, { expand: 'all' });
    return permissions.filter(({ permission }) => permission === 'BROWSE_PROJECTS').map(({ holder }) => holder);
  }

  securityScheme(projectId: string): Promise<JiraSecurityScheme | null> {
    return readSecurityScheme(this, projectId);
  }

  hidesLevels(): Promise<boolean> {
    return Promise.resolve(false);
  }

  async levelHolders(schemeId: string): Promise<Map<string, JiraHolder[]>> {
    const holders = new Map<string, JiraHolder[]>();
    const path = `${api}/issuesecurityschemes/level/member`;
    for await (const page of this.offsetPages(path, levelMember, 50, { schemeId, expand: 'all' }))
      for (const { issueSecurityLevelId, holder } of page)
        holders.set(issueSecurityLevelId, [...(holders.get(issueSecurityLevelId) ?? []), holder]);
    return holders;
  }

  async role(projectId: string, roleId: string): Promise<ReaderSet> {
    const path = `${api}/project/${encodeURIComponent(projectId)}/role/${encodeURIComponent(roleId)}`;
    const { actors } = await this.rest.get(path, projectRole);
    return {
      accounts: actors.flatMap(({ actorUser }) => (actorUser ? [actorUser.accountId] : [])),
      groups: actors.flatMap(({ actorGroup }) => (actorGroup ? [actorGroup.groupId] : [])),
    };
  }

  async applicationGroups(): Promise<Map<string, string[]>> {
    const roles = await this.rest.get(`${api}/applicationrole`, z.array(applicationRole));
    return new Map(roles.map(({ key, groupDetails }) => [key, groupDetails.map(({ groupId }) => groupId)]));
  }

  async *groupMembers(groupId: string): AsyncGenerator<string[]> {
    const member = z.object({ accountId: z.string() });
    for await (const page of this.offsetPages(`${api}/group/member`, member, membersPerPage, { groupId }))
      yield page.map(({ accountId }) => accountId);
  }

  /** A page can be shorter than requested. Only an empty page is the last one. */
  async *users(): AsyncGenerator<JiraUser[]> {
    for (let startAt = 0; ; startAt += usersPerPage) {
      const query = { startAt, maxResults: usersPerPage };
      const users = await this.rest.get(`${api}/users/search`, z.array(jiraUser), query);
      if (!users.length) return;
      yield users;
    }
  }

  private async *offsetPages<T extends z.ZodType>(
    path: string,
    item: T,
    maxResults: number,
    query: Record<string, string> = {},
  ): AsyncGenerator<z.infer<T>[]> {
    for (let startAt = 0; ;) {
      const page = await this.rest.get(path, offsetPage(item), { ...query, startAt, maxResults });
      yield page.values;
      startAt += page.values.length;
      if (page.isLast ?? startAt >= (page.total ?? 0)) return;
      if (!page.values.length) throw unreadableAnswer(`Jira ended the list ${path} before its last page.`);
    }
  }
}
