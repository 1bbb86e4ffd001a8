import { z } from 'zod';
import type { ConnectionContext } from '../../connections/connector-registry.service.js';
import type { ReaderSet } from '../../connections/knowledge-source.port.js';
import { concurrentReads } from '../atlassian/atlassian-site.js';
import { dataCenterClient, dataCenterSite } from '../atlassian/data-center-site.js';
import { shiftingPages } from '../atlassian/shifting-pages.js';
import { mapConcurrently } from '../source-kit/map-concurrently.js';
import type { SourceClient } from '../source-kit/source-client.js';
import { isSourceFault } from '../source-kit/source-request.error.js';
import {
  dataCenterAccount,
  dataCenterApplicationRole,
  markedComment,
  dataCenterIssue,
  dataCenterProject,
  dataCenterRole,
  dataCenterScheme,
  groupMemberUser,
  leveledIssues,
  fieldList,
  offsetSearch,
  type EpicFields,
} from './data-center-schemas.js';
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
  offsetPage,
  ownPermissions,
  type JiraComment,
  type JiraHolder,
  type JiraIssue,
  type JiraProject,
  type JiraUser,
} from './jira-schemas.js';
import { remember } from '../atlassian/remember.js';
import { wikiToMarkdown } from './wiki-markup.js';
import { toWikiMarkup } from './written-wiki.js';

const api = '/rest/api/2';
/** The default maximum. Jira reduces it if its administrator sets a smaller one. */
const issuesPerPage = 1000;
const commentsPerPage = 500;
const membersPerPage = 50;
const minuteMs = 60_000;
const epicField = 'com.pyxis.greenhopper.jira:gh-epic-';

const position = z.object({ start: z.number(), tail: z.array(z.string()) });

/** Calls the REST API of Jira Data Center, version 2. Groups have no id but their name, which cannot be changed. */
export class JiraDataCenterClient implements JiraClient {
  readonly rest: SourceClient;
  readonly api = api;
  readonly site: string;
  readonly issuesPerRead = 20;
  readonly permissionNames = { administer: 'Jira Administrators', browseUsers: 'Browse Users' };
  private readonly members = new Map<string, Promise<JiraUser[]>>();
  private readonly keys = new Map<string, Promise<string | null>>();
  private epics?: Promise<EpicFields>;

  constructor(context: ConnectionContext, options: JiraClientOptions = {}) {
    this.rest = dataCenterClient(context, { system: 'Jira', ...options });
    this.site = dataCenterSite(context);
  }

  account(): Promise<unknown> {
    return this.rest.get(`${api}/myself`, dataCenterAccount);
  }

  async permissions(...names: string[]): Promise<Set<string>> {
    const { permissions } = await this.rest.get(`${api}/mypermissions`, ownPermissions);
    return new Set(names.filter((name) => permissions[name]?.havePermission));
  }

  serverTime(): Promise<number> {
    return readServerTime(this);
  }

  async projects(): Promise<JiraProject[]> {
    const projects = await this.rest.get(`${api}/project`, z.array(dataCenterProject), { expand: 'lead' });
    return projects.filter(({ archived }) => !archived);
  }

  async count(jql: string): Promise<number> {
    const body = { jql, maxResults: 0, fields: ['id'] };
    const schema = z.object({ total: z.number() });
    return (await this.rest.request({ method: 'POST', path: `${api}/search`, body, isRead: true, schema })).body.total;
  }

  search(condition: string, from: string | null = null): AsyncGenerator<JiraIssuePage> {
    // validated, because a query for a project that the account lost would otherwise find nothing
    return this.pages(() => condition, from, true);
  }

  /**
   * Relative times do not depend on the time zone of the account, unlike dates. Each page is a query of its own, so each one
   * needs the time that has passed since then.
   */
  updatedSince(condition: string, since: number): AsyncGenerator<JiraIssuePage> {
    const current = async () => {
      const minutes = Math.ceil(((await this.serverTime()) - since) / minuteMs);
      return `${condition} AND updated >= "-${Math.max(1, minutes)}m"`;
    };
    return this.pages(current, null, true);
  }

  async *children(parents: readonly JiraIssue[]): AsyncGenerator<JiraIssuePage> {
    const subtasks = `parent in (${parents.map(({ id }) => id).join(', ')})`;
    const { link } = await this.epicFields();
    const number = link?.replace('customfield_', '');
    const inEpics = `cf[${number}] in (${parents.map(({ key }) => key).join(', ')})`;
    // not validated, because a deleted parent, or one that is no epic, makes the query invalid
    yield* this.pages(() => (number ? `(${subtasks} OR ${inEpics})` : subtasks), null, false);
  }

  issues(ids: readonly string[]): Promise<Map<string, JiraIssue>> {
    return this.read(ids, readFields).then((issues) => new Map(issues.map((issue) => [issue.id, issue])));
  }

  currentIssues(idsOrKeys: readonly string[]): Promise<JiraIssue[]> {
    return this.read(idsOrKeys, listedFields);
  }

  comments(issueId: string): AsyncGenerator<JiraComment[]> {
    return readComments(this, issueId, markedComment, { maxResults: commentsPerPage, expand: 'properties' });
  }

  toMarkdown(body: unknown): string {
    return typeof body === 'string' ? wikiToMarkdown(body) : '';
  }

  fromWritten(text: string): unknown {
    return toWikiMarkup(text);
  }

  async browseHolders(projectId: string): Promise<JiraHolder[]> {
    const path = `${api}/project/${encodeURIComponent(projectId)}/permissionscheme`;
    const { permissions } = await this.rest.get(path, dataCenterScheme, { expand: 'all' });
    return permissions.filter(({ permission }) => permission === 'BROWSE_PROJECTS').map(({ holder }) => holder);
  }

  securityScheme(projectId: string): Promise<JiraSecurityScheme | null> {
    return readSecurityScheme(this, projectId);
  }

  /** A field configuration can hide the field, which Jira then leaves out of issues, but the level still has effect. */
  async hidesLevels(projectId: string, levelIds: readonly string[]): Promise<boolean> {
    const jql = `project = ${projectId} AND level in (${levelIds.join(', ')}) ORDER BY created ASC, key ASC`;
    try {
      // all of them, because a field configuration can apply to a single issue type
      for (let startAt = 0; ;) {
        // not validated, because a level that the account does not belong to makes the query invalid
        const body = { jql, startAt, maxResults: issuesPerPage, fields: ['security'], validateQuery: false };
        const request = { method: 'POST', path: `${api}/search`, body, isRead: true, schema: leveledIssues } as const;
        const { issues, total } = (await this.rest.request(request)).body;
        if (issues.some(({ fields }) => !fields.security)) return true;
        startAt += issues.length;
        if (startAt >= total) return false;
        if (!issues.length) throw unreadableAnswer('Jira ended a list of issues before its last page.');
      }
    } catch (error) {
      // the field does not exist for the account if every project hides it
      if (isSourceFault(error, 'refused')) return true;
      throw error;
    }
  }

  /** No API of Jira Data Center returns the members of a security level. */
  levelHolders(): Promise<null> {
    return Promise.resolve(null);
  }

  async role(projectId: string, roleId: string): Promise<ReaderSet> {
    const path = `${api}/project/${encodeURIComponent(projectId)}/role/${encodeURIComponent(roleId)}`;
    const { actors } = await this.rest.get(path, dataCenterRole);
    const namesOf = (type: string) => actors.filter((actor) => actor.type === type).map(({ name }) => name);
    const accounts: string[] = [];
    const keyOf = (name: string) => this.keyOf(name);
    for await (const key of mapConcurrently(namesOf('atlassian-user-role-actor'), concurrentReads, keyOf))
      if (key !== null) accounts.push(key);
    return { accounts, groups: namesOf('atlassian-group-role-actor') };
  }

  async applicationGroups(): Promise<Map<string, string[]>> {
    const roles = await this.rest.get(`${api}/applicationrole`, z.array(dataCenterApplicationRole));
    return new Map(roles.map(({ key, groups }) => [key, groups]));
  }

  async *groupMembers(groupId: string): AsyncGenerator<string[]> {
    yield (await this.membersOf(groupId)).map(({ accountId }) => accountId);
  }

  /** The accounts with access to Jira. Only they can be readers, except for projects that anyone can browse. */
  async *users(): AsyncGenerator<JiraUser[]> {
    const groups = await this.applicationGroups().catch((error: unknown) => {
      if (isSourceFault(error, 'forbidden', 'missing')) return new Map<string, string[]>();
      throw error;
    });
    const listed = new Set<string>();
    const membersOf = (group: string) =>
      this.membersOf(group).catch((error: unknown) => {
        // an application can still name a group that was deleted in a user directory
        if (isSourceFault(error, 'missing')) return [];
        throw error;
      });
    for await (const users of mapConcurrently([...new Set([...groups.values()].flat())], concurrentReads, membersOf)) {
      yield users.filter(({ accountId }) => !listed.has(accountId));
      for (const { accountId } of users) listed.add(accountId);
    }
  }

  private async *pages(
    condition: () => string | Promise<string>,
    from: string | null,
    validateQuery: boolean,
  ): AsyncGenerator<JiraIssuePage> {
    const schema = offsetSearch(await this.issueSchema());
    const fields = await this.fields(listedFields);
    const readPage = async (startAt: number) => {
      const jql = `${await condition()} ORDER BY created ASC, key ASC`;
      const body = { jql, startAt, maxResults: issuesPerPage, fields, validateQuery };
      const request = { method: 'POST', path: `${api}/search`, body, isRead: true, schema } as const;
      const { issues, total } = (await this.rest.request(request)).body;
      return { items: issues as JiraIssue[], isLast: startAt + issues.length >= total };
    };
    for await (const { items, next } of shiftingPages(readPage, positionIn(from)))
      yield { issues: items, next: next && JSON.stringify(next) };
  }

  /** Issues by id or key, without those that were deleted or are hidden. */
  private async read(idsOrKeys: readonly string[], names: readonly string[]): Promise<JiraIssue[]> {
    const schema = await this.issueSchema();
    const fields = (await this.fields(names)).join(',');
    const readOne = (id: string) =>
      this.rest.get(`${api}/issue/${encodeURIComponent(id)}`, schema, { fields }).catch((error: unknown) => {
        if (isSourceFault(error, 'missing', 'forbidden')) return null;
        throw error;
      });
    const issues: JiraIssue[] = [];
    for await (const issue of mapConcurrently(idsOrKeys, concurrentReads, readOne))
      if (issue) issues.push(issue as JiraIssue);
    return issues;
  }

  private async issueSchema() {
    return dataCenterIssue(await this.epicFields());
  }

  private async fields(names: readonly string[]): Promise<string[]> {
    const { link, name } = await this.epicFields();
    return [...names, ...[link, name].filter((field) => field !== null)];
  }

  /** Both are custom fields whose ids differ from site to site. */
  private epicFields(): Promise<EpicFields> {
    return (this.epics ??= this.rest.get(`${api}/field`, fieldList).then((all) => {
      const idOf = (type: string) => all.find(({ schema }) => schema?.custom === epicField + type)?.id ?? null;
      return { link: idOf('link'), name: idOf('label') };
    }));
  }

  /** The key of an account, which does not change, unlike its name. Null: the account was deleted. */
  private keyOf(username: string): Promise<string | null> {
    return remember(this.keys, username, async () => {
      try {
        return (await this.rest.get(`${api}/user`, dataCenterAccount, { username })).key;
      } catch (error) {
        if (isSourceFault(error, 'missing')) return null;
        throw error;
      }
    });
  }

  /** The active members of a group and its subgroups. */
  private membersOf(groupname: string): Promise<JiraUser[]> {
    return remember(this.members, groupname, async () => {
      const members: JiraUser[] = [];
      for (;;) {
        const query = { groupname, includeInactiveUsers: false, startAt: members.length, maxResults: membersPerPage };
        const page = await this.rest.get(`${api}/group/member`, offsetPage(groupMemberUser), query);
        members.push(...page.values);
        if (page.isLast ?? members.length >= (page.total ?? 0)) return members;
        if (!page.values.length) throw unreadableAnswer('Jira ended a list of members before its last page.');
      }
    });
  }
}

/** Undefined: from the start. */
function positionIn(from: string | null): z.infer<typeof position> | undefined {
  if (from === null) return undefined;
  try {
    return position.safeParse(JSON.parse(from)).data;
  } catch {
    return undefined;
  }
}
