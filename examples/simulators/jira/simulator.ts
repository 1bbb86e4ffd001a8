import { createHmac, randomUUID } from 'node:crypto';
import { SimulatedRefusal } from '../http-simulator.ts';
import type { SimulatedRequest } from '../http-simulator.ts';
import { AtlassianSimulator } from '../atlassian/atlassian-simulator.ts';
import { AtlassianLimits } from '../atlassian/limits.ts';
import type { AtlassianLimitOptions } from '../atlassian/limits.ts';
import type { SignedWebhook } from '../webhook-sender.ts';
import { JiraSite } from './jira-site.ts';
import type { SimulatedIssue, SimulatedProject } from './jira-site.ts';
import { issuePayload, commentPayload, jiraTime, userPayload } from './payloads.ts';
import { IssueSearch } from './issue-search.ts';

export interface JiraSimulatorOptions {
  site?: JiraSite;
  port?: number;
  /** A path before all routes, as on the gateway for scoped tokens. */
  basePath?: string;
  limits?: AtlassianLimitOptions;
}

const api = '/rest/api/3';

/** Serves the REST API (version 3) of a Jira Cloud site. See README.md in the folder above. */
export class JiraSimulator extends AtlassianSimulator<JiraSite, AtlassianLimits> {
  readonly webhookSecret = 'the secret of the webhook';
  private readonly search: IssueSearch;

  private constructor({ site = new JiraSite(), limits, basePath = '' }: JiraSimulatorOptions) {
    super({
      site,
      limits: new AtlassianLimits(limits),
      prefix: basePath + api,
      unauthenticated: { errorMessages: ['Client must be authenticated to access this resource.'] },
      unknownRoute: { errorMessages: ['Not found'], errors: {} },
    });
    this.search = new IssueSearch(site, this.limits);
    site.onEvent = (event, payload) => this.http.webhooks.send(() => this.webhook(event, payload));
    this.addReads();
    this.addPermissions();
    this.addWrites();
  }

  static start(options: JiraSimulatorOptions = {}): Promise<JiraSimulator> {
    return new JiraSimulator(options).listen(options.port);
  }

  /** A delivery of a webhook that an administrator created, signed with its secret. */
  webhook(event: string, payload: object, secret = this.webhookSecret): SignedWebhook & { body: Buffer } {
    const body = Buffer.from(JSON.stringify({ timestamp: this.site.now(), webhookEvent: event, ...payload }));
    const signature = createHmac('sha256', secret).update(body).digest('hex');
    return {
      headers: {
        'content-type': 'application/json',
        'x-atlassian-webhook-identifier': randomUUID(),
        'x-hub-signature': `sha256=${signature}`,
      },
      body,
    };
  }

  private addReads(): void {
    const { site } = this;
    this.get('/myself', (_, account) => userPayload(site.directory.people.get(account)!));
    this.get('/serverInfo', () => ({ serverTime: jiraTime(site.now(), site), deploymentType: 'Cloud' }));
    this.get('/mypermissions', ({ query }, account) => ({
      permissions: Object.fromEntries(
        (query.get('permissions') ?? '').split(',').map((key) => {
          const browses = key === 'BROWSE_PROJECTS' && this.projectsOf(account).length > 0;
          return [key, { key, havePermission: browses || site.hasGlobalPermission(account, key) }];
        }),
      ),
    }));
    this.get('/project/search', (request, account) =>
      page(
        this.projectsOf(account).map((project) => this.projectPayload(project)),
        request,
        50,
      ),
    );
    this.get('/project/:project', (request, account) => this.projectPayload(this.project(request, account)));
    this.on('POST', '/search/jql', (request, account) => this.search.page(request, account));
    this.on('POST', '/search/approximate-count', (request, account) => this.search.count(request, account));
    this.on('POST', '/issue/bulkfetch', ({ body }, account) => {
      const { issueIdsOrKeys = [], fields = [] } = body as { issueIdsOrKeys?: string[]; fields?: string[] };
      if (!issueIdsOrKeys.length || issueIdsOrKeys.length > 100)
        throw refusal(400, 'Between 1 and 100 issues are required.');
      const found = issueIdsOrKeys.map((name) => this.findIssue(name, account)).filter((issue) => issue !== null);
      this.limits.charge(found.length);
      const known = new Set(found.flatMap(({ id, key }) => [id, key]));
      const issueErrors = issueIdsOrKeys
        .filter((name) => !known.has(name))
        .map((id) => ({ id, errorMessage: 'not found' }));
      return { body: { issues: found.map((issue) => issuePayload(issue, fields, site)), issueErrors } };
    });
    this.get('/issue/:issue', (request, account) => {
      const fields = (request.query.get('fields') ?? '*all').split(',');
      return issuePayload(this.issue(request, account), fields, site);
    });
    this.get('/issue/:issue/comment', (request, account) => {
      const { comments } = this.issue(request, account);
      const startAt = Number(request.query.get('startAt') ?? 0);
      const maxResults = Math.min(Number(request.query.get('maxResults') ?? 50), 100);
      const shown = comments.slice(startAt, startAt + maxResults).map((comment) => commentPayload(comment, site));
      return { startAt, maxResults, total: comments.length, comments: shown };
    });
    this.get('/issue/:issue/transitions', (request, account) => {
      const { status } = this.issue(request, account);
      return { transitions: transitionsFrom(status) };
    });
    this.get('/users/search', ({ query }, account) => {
      this.require(account, 'USER_PICKER');
      const startAt = Number(query.get('startAt') ?? 0);
      const people = [...site.directory.people.values()];
      return people.slice(startAt, startAt + Number(query.get('maxResults') ?? 50)).map(userPayload);
    });
    this.get('/group/member', (request, account) => {
      this.require(account, 'USER_PICKER');
      const group = site.directory.groups.get(request.query.get('groupId') ?? '');
      if (!group) throw refusal(404, 'The group does not exist.');
      const members = [...group.members].map((id) => site.directory.people.get(id)!).filter(({ isActive }) => isActive);
      return page(members.map(userPayload), request, 50);
    });
  }

  private addPermissions(): void {
    const { site } = this;
    this.get('/project/:project/permissionscheme', (request, account) => {
      const project = this.project(request, account);
      if (project.hidesPermissions) throw refusal(403, 'You do not have permission to view the permission scheme.');
      this.require(account, 'ADMINISTER');
      const permissions = project.scheme.permissions.map((one, index) => ({ id: index + 1, ...one }));
      return { id: Number(project.scheme.id), name: 'Scheme', permissions };
    });
    this.get('/project/:project/role/:role', (request, account) => {
      const project = this.project(request, account);
      const role = site.roles.get(request.params.role);
      if (!role) throw refusal(404, 'Can not retrieve a role actor for a null project role.');
      const users = [...(role.users.get(project.id) ?? [])].map((accountId) => {
        return { type: 'atlassian-user-role-actor', actorUser: { accountId } };
      });
      const groups = [...(role.groups.get(project.id) ?? [])].map((groupId) => {
        return {
          type: 'atlassian-group-role-actor',
          actorGroup: { groupId, name: site.directory.groups.get(groupId)?.name },
        };
      });
      return { id: Number(role.id), name: role.name, actors: [...users, ...groups] };
    });
    this.get('/project/:project/issuesecuritylevelscheme', (request, account) => {
      const { securityScheme } = this.project(request, account);
      this.require(account, 'ADMINISTER');
      if (!securityScheme) throw refusal(404, 'No issue security scheme found.');
      return {
        id: Number(securityScheme.id),
        name: 'Levels',
        levels: securityScheme.levels.map(({ id, name }) => ({ id, name })),
      };
    });
    this.get('/issuesecurityschemes/level/member', (request, account) => {
      this.require(account, 'ADMINISTER');
      const schemes = [...site.projects.values()].flatMap(({ securityScheme }) => securityScheme ?? []);
      const scheme = schemes.find(({ id }) => id === request.query.get('schemeId'));
      const members = (scheme?.levels ?? []).flatMap((level) =>
        level.members.map((holder, index) => {
          const id = `${level.id}${index}`;
          return { id, issueSecurityLevelId: level.id, issueSecuritySchemeId: scheme!.id, holder };
        }),
      );
      return page(members, request, 50);
    });
    this.get('/applicationrole', (_, account) => {
      this.require(account, 'ADMINISTER');
      return [...site.applicationRoles].map(([key, groups]) => ({
        key,
        name: key,
        groupDetails: groups.map((groupId) => ({ groupId, name: site.directory.groups.get(groupId)?.name })),
      }));
    });
  }

  private addWrites(): void {
    const { site } = this;
    this.on('POST', '/issue', ({ body }, account) => {
      const { project, issuetype, summary, description, labels } = (body as { fields: NewIssue }).fields;
      const target = site.projects.get(project.id);
      if (!target || !site.canBrowseProject(account, target))
        return { status: 400, body: { errorMessages: [], errors: { project: 'valid project is required' } } };
      if (!['Task', 'Bug', 'Story'].includes(issuetype.name))
        return { status: 400, body: { errorMessages: [], errors: { issuetype: 'Specify a valid issue type' } } };
      const issue = site.addIssue(target, summary, {
        type: issuetype.name,
        description: description ?? null,
        labels: labels ?? [],
        reporterId: account,
      });
      return { status: 201, body: { id: issue.id, key: issue.key, self: `${this.url}${api}/issue/${issue.id}` } };
    });
    this.on('POST', '/issue/:issue/comment', (request, account) => {
      const { body } = request.body as { body: object };
      const comment = site.addComment(this.issue(request, account), account, '', { body });
      return { status: 201, body: commentPayload(comment, site) };
    });
    this.on('POST', '/issue/:issue/transitions', (request, account) => {
      const issue = this.issue(request, account);
      const { transition } = request.body as { transition: { id: string } };
      const found = transitionsFrom(issue.status).find(({ id }) => id === transition.id);
      if (!found) throw refusal(400, 'It seems that you have tried to perform a workflow operation that is not valid.');
      site.editIssue(issue, { status: found.to.name });
      return { status: 204 };
    });
  }

  private projectsOf(account: string): SimulatedProject[] {
    const projects = [...this.site.projects.values()];
    return projects.filter((project) => !project.isArchived && this.site.canBrowseProject(account, project));
  }

  private project({ params }: SimulatedRequest, account: string): SimulatedProject {
    const project = this.projectsOf(account).find(({ id, key }) => id === params.project || key === params.project);
    if (!project) throw refusal(404, `No project could be found with key '${params.project}'.`);
    return project;
  }

  private findIssue(idOrKey: string, account: string): SimulatedIssue | null {
    const { issues } = this.site;
    const issue = issues.get(idOrKey) ?? [...issues.values()].find(({ key }) => key === idOrKey);
    return issue && this.site.canSee(account, issue) ? issue : null;
  }

  private issue({ params }: SimulatedRequest, account: string): SimulatedIssue {
    const issue = this.findIssue(params.issue, account);
    if (!issue) throw refusal(404, 'Issue does not exist or you do not have permission to see it.');
    return issue;
  }

  private projectPayload({ id, key, name, style, leadAccountId }: SimulatedProject): object {
    const lead = leadAccountId ? { accountId: leadAccountId } : undefined;
    return {
      id,
      key,
      name,
      style,
      lead,
      projectTypeKey: 'software',
      isPrivate: false,
      self: `${this.url}${api}/project/${id}`,
    };
  }

  private require(account: string, permission: string): void {
    if (!this.site.hasGlobalPermission(account, permission))
      throw refusal(403, 'The user does not have the necessary permission.');
  }
}

interface NewIssue {
  project: { id: string };
  issuetype: { name: string };
  summary: string;
  description?: object;
  labels?: string[];
}

const workflow = ['To Do', 'In Progress', 'Done'];

const transitionsFrom = (status: string) =>
  workflow
    .map((name, index) => ({ id: String(11 + index * 10), name: `Move to ${name}`, to: { name } }))
    .filter(({ to }) => to.name !== status);

const refusal = (status: number, message: string): SimulatedRefusal =>
  new SimulatedRefusal({ status, body: { errorMessages: [message], errors: {} } });

function page(all: readonly object[], { query }: SimulatedRequest, most: number): object {
  const startAt = Number(query.get('startAt') ?? 0);
  const maxResults = Math.min(Number(query.get('maxResults') ?? most), most);
  const values = all.slice(startAt, startAt + maxResults);
  return { startAt, maxResults, total: all.length, isLast: startAt + values.length >= all.length, values };
}
