import { z } from 'zod';
import type { ConnectionContext } from '../../connections/connector-registry.service.js';
import type { SourceQuota } from '../../connections/knowledge-source.port.js';
import { atlassianClient } from '../atlassian/atlassian-site.js';
import type { SourceClient } from '../source-kit/source-client.js';
import { isSourceFault, SourceRequestError } from '../source-kit/source-request.error.js';
import {
  accountOfToken,
  applicationRole,
  bulkFetched,
  commentPage,
  jiraProject,
  jiraUser,
  levelMember,
  offsetPage,
  ownPermissions,
  permissionScheme,
  projectRole,
  searchPage,
  securityScheme,
  siteClock,
  type JiraComment,
  type JiraHolder,
  type JiraIssue,
  type JiraProject,
  type JiraUser,
} from './jira-schemas.js';

const api = '/rest/api/3';
/** Jira reduces it if more fields are requested. */
const mostPerPage = 5000;
export const mostPerBulkFetch = 100;
const commentsPerPage = 100;
const usersPerPage = 200;
const membersPerPage = 50;

/** Fields that determine readers and citations. */
const listedFields = ['summary', 'updated', 'project', 'security', 'issuerestriction', 'reporter', 'assignee'];
const readFields = [
  ...listedFields,
  ...['status', 'issuetype', 'priority', 'resolution', 'labels', 'parent', 'issuelinks', 'description', 'comment'],
];

/** Calls the REST API of Jira Cloud, version 3. */
export class JiraClient {
  readonly client: SourceClient;

  constructor(
    context: ConnectionContext,
    options: { quota?: (status: SourceQuota) => void; isInteractive?: boolean } = {},
  ) {
    this.client = atlassianClient(context, { system: 'Jira', ...options });
  }

  account(): Promise<z.infer<typeof accountOfToken>> {
    return this.client.get(`${api}/myself`, accountOfToken);
  }

  /** The names of those permissions that the account has globally or in any project. */
  async permissions(...names: string[]): Promise<Set<string>> {
    const { permissions } = await this.client.get(`${api}/mypermissions`, ownPermissions, {
      permissions: names.join(','),
    });
    return new Set(names.filter((name) => permissions[name]?.havePermission));
  }

  /** The clock of the site in milliseconds. Jira compares change times with it. */
  async serverTime(): Promise<number> {
    const { serverTime } = await this.client.get(`${api}/serverInfo`, siteClock);
    const time = Date.parse(serverTime);
    if (Number.isNaN(time)) throw unreadable('Jira returned no valid server time.');
    return time;
  }

  async projects(): Promise<JiraProject[]> {
    const projects: JiraProject[] = [];
    const path = `${api}/project/search`;
    const query = { expand: 'lead', orderBy: 'key', status: 'live' };
    for await (const page of this.offsetPages(path, jiraProject, 50, query)) projects.push(...page);
    return projects;
  }

  async approximateCount(jql: string): Promise<number> {
    const schema = z.object({ count: z.number() });
    const request = { method: 'POST', path: `${api}/search/approximate-count`, body: { jql }, isRead: true } as const;
    return (await this.client.request({ ...request, schema })).body.count;
  }

  /** Pages of issues with the fields that determine readers and citations. */
  async *search(jql: string, from: string | null = null): AsyncGenerator<{ issues: JiraIssue[]; next: string | null }> {
    const visited = new Set<string>();
    let token = from;
    do {
      const body = { jql, fields: listedFields, maxResults: mostPerPage, ...(token && { nextPageToken: token }) };
      const request = { method: 'POST', path: `${api}/search/jql`, body, isRead: true, schema: searchPage } as const;
      const { issues, nextPageToken, isLast } = (await this.client.request(request)).body;
      const next = nextPageToken || null;
      if (next === null && isLast === false) throw unreadable('Jira ended a list of issues before its last page.');
      if (next !== null && (next === token || visited.has(next)))
        throw unreadable('Jira returned the same page of issues twice, so the list never ends.');
      if (next !== null) visited.add(next);
      yield { issues, next };
      token = next;
    } while (token !== null);
  }

  /** Issues with their texts. They come from the database, which is newer than the search index. */
  issues(ids: readonly string[]): Promise<Map<string, JiraIssue>> {
    return this.fetchIssues(ids, readFields);
  }

  /** The issue with the fields that determine readers and citations. Null: it was deleted, or the account cannot see it. */
  async currentIssue(id: string): Promise<JiraIssue | null> {
    return (await this.fetchIssues([id], listedFields)).get(id) ?? null;
  }

  private async fetchIssues(ids: readonly string[], fields: readonly string[]): Promise<Map<string, JiraIssue>> {
    const body = { issueIdsOrKeys: ids, fields };
    const request = {
      method: 'POST',
      path: `${api}/issue/bulkfetch`,
      body,
      isRead: true,
      schema: bulkFetched,
    } as const;
    const { issues } = (await this.client.request(request)).body;
    return new Map(issues.map((issue) => [issue.id, issue]));
  }

  /** All comments of an issue in the order of their creation. */
  async *comments(issueId: string): AsyncGenerator<JiraComment[]> {
    for (let startAt = 0; ;) {
      const path = `${api}/issue/${encodeURIComponent(issueId)}/comment`;
      const query = { startAt, maxResults: commentsPerPage, orderBy: 'created' };
      const { comments, total } = await this.client.get(path, commentPage, query);
      yield comments;
      startAt += comments.length;
      if (startAt >= total) return;
      if (!comments.length) throw unreadable('Jira ended a list of comments before its last page.');
    }
  }

  /** The holders of the permission “Browse Projects”. */
  async browseHolders(projectId: string): Promise<JiraHolder[]> {
    const path = `${api}/project/${encodeURIComponent(projectId)}/permissionscheme`;
    const { permissions } = await this.client.get(path, permissionScheme, { expand: 'all' });
    return permissions.filter(({ permission }) => permission === 'BROWSE_PROJECTS').map(({ holder }) => holder);
  }

  /** Null: the project has no security levels. */
  async securityScheme(projectId: string): Promise<z.infer<typeof securityScheme> | null> {
    const path = `${api}/project/${encodeURIComponent(projectId)}/issuesecuritylevelscheme`;
    return this.client.get(path, securityScheme).catch((error: unknown) => {
      if (isSourceFault(error, 'missing')) return null;
      throw error;
    });
  }

  /** The members of all levels of a scheme. */
  async levelHolders(schemeId: string): Promise<Map<string, JiraHolder[]>> {
    const holders = new Map<string, JiraHolder[]>();
    const path = `${api}/issuesecurityschemes/level/member`;
    for await (const page of this.offsetPages(path, levelMember, 50, { schemeId, expand: 'all' }))
      for (const { issueSecurityLevelId, holder } of page)
        holders.set(issueSecurityLevelId, [...(holders.get(issueSecurityLevelId) ?? []), holder]);
    return holders;
  }

  async role(projectId: string, roleId: string): Promise<z.infer<typeof projectRole>['actors']> {
    const path = `${api}/project/${encodeURIComponent(projectId)}/role/${encodeURIComponent(roleId)}`;
    return (await this.client.get(path, projectRole)).actors;
  }

  async applicationRoles(): Promise<z.infer<typeof applicationRole>[]> {
    return this.client.get(`${api}/applicationrole`, z.array(applicationRole));
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
      const users = await this.client.get(`${api}/users/search`, z.array(jiraUser), query);
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
      const page = await this.client.get(path, offsetPage(item), { ...query, startAt, maxResults });
      yield page.values;
      startAt += page.values.length;
      if (page.isLast ?? startAt >= (page.total ?? 0)) return;
      if (!page.values.length) throw unreadable(`Jira ended the list ${path} before its last page.`);
    }
  }
}

const unreadable = (message: string) => new SourceRequestError('unreadable', message, null, true);
