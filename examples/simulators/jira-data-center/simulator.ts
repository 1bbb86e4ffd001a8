import { createHmac } from 'node:crypto';
import { SimulatedRefusal } from '../http-simulator.ts';
import type { SimulatedReply, SimulatedRequest } from '../http-simulator.ts';
import { AtlassianSimulator } from '../atlassian/atlassian-simulator.ts';
import { DataCenterDirectory } from '../atlassian/data-center-directory.ts';
import { TokenBuckets } from '../atlassian/token-buckets.ts';
import type { TokenBucketOptions } from '../atlassian/token-buckets.ts';
import { JqlError, parseJql } from '../jira/jql.ts';
import { JiraSite } from '../jira/jira-site.ts';
import type { SimulatedIssue, SimulatedProject } from '../jira/jira-site.ts';
import { jiraTime } from '../jira/payloads.ts';
import type { SignedWebhook } from '../webhook-sender.ts';
import { commentPayload, epicLinkField, epicNameField, holderPayload, issuePayload, userPayload } from './payloads.ts';

export interface JiraDataCenterSimulatorOptions {
  /** With a `DataCenterDirectory`. */
  site?: JiraSite;
  port?: number;
  /** The context path. */
  basePath?: string;
  limits?: TokenBucketOptions;
  /** The largest page of a search, which the administrator sets. */
  mostPerPage?: number;
}

const api = '/rest/api/2';

/** Serves the REST API (version 2) of Jira Data Center. See README.md in the folder above. */
export class JiraDataCenterSimulator extends AtlassianSimulator<JiraSite, TokenBuckets> {
  readonly webhookSecret = 'the secret of the webhook';
  /** False: the site has no Jira Software, and so no epics. */
  hasEpics = true;
  private readonly directory: DataCenterDirectory;
  private readonly mostPerPage: number;

  private constructor({
    site = new JiraSite(new DataCenterDirectory()),
    limits,
    basePath = '',
    mostPerPage = 1000,
  }: JiraDataCenterSimulatorOptions) {
    super({
      site,
      limits: new TokenBuckets(limits),
      prefix: basePath + api,
      unauthenticated: { message: 'Client must be authenticated to access this resource.', 'status-code': 401 },
      unknownRoute: { message: 'null for uri', 'status-code': 404 },
    });
    this.directory = site.directory as DataCenterDirectory;
    this.mostPerPage = mostPerPage;
    site.onEvent = (event, payload) => this.http.webhooks.send(() => this.webhook(event, payload));
    this.addReads();
    this.addPeople();
    this.addPermissions();
    this.addWrites();
  }

  static start(options: JiraDataCenterSimulatorOptions = {}): Promise<JiraDataCenterSimulator> {
    return new JiraDataCenterSimulator(options).listen(options.port);
  }

  /** A delivery of a webhook that an administrator created, signed with its secret. It has no identifier. */
  webhook(event: string, payload: object, secret = this.webhookSecret): SignedWebhook & { body: Buffer } {
    const body = Buffer.from(JSON.stringify({ timestamp: this.site.now(), webhookEvent: event, ...payload }));
    const signature = createHmac('sha256', secret).update(body).digest('hex');
    return { headers: { 'content-type': 'application/json', 'x-hub-signature': `sha256=${signature}` }, body };
  }

  private addReads(): void {
    const { site } = this;
    this.get('/serverInfo', () => ({
      version: '10.3.2',
      deploymentType: 'Server',
      serverTime: jiraTime(site.now(), site),
    }));
    this.get('/field', () => {
      const epic = (id: string, type: string) => ({
        id,
        name: `Epic ${type}`,
        custom: true,
        schema: {
          type: 'any',
          custom: `com.pyxis.greenhopper.jira:gh-epic-${type}`,
          customId: Number(id.split('_')[1]),
        },
      });
      const epics = [epic(epicLinkField, 'link'), epic(epicNameField, 'label')];
      return [
        { id: 'summary', name: 'Summary', schema: { type: 'string', system: 'summary' } },
        { id: 'thumbnail' },
      ].concat(this.hasEpics ? (epics as never[]) : []);
    });
    this.get('/project', (_, account) => this.projectsOf(account).map((project) => this.projectPayload(project)));
    this.get('/project/:project', (request, account) => this.projectPayload(this.project(request, account)));
    this.on('POST', '/search', (request, account) => this.search(request, account));
    this.get('/issue/:issue', (request, account) => {
      const fields = (request.query.get('fields') ?? '*all').split(',');
      return issuePayload(this.issue(request, account), fields, site);
    });
    this.get('/issue/:issue/comment', (request, account) => {
      const { comments } = this.issue(request, account);
      const startAt = Number(request.query.get('startAt') ?? 0);
      const maxResults = Number(request.query.get('maxResults') ?? 50);
      const sorted = [...comments].sort((a, b) => a.created - b.created);
      const hasProperties = request.query.get('expand') === 'properties';
      const shown = sorted.slice(startAt, startAt + maxResults);
      return {
        startAt,
        maxResults,
        total: comments.length,
        comments: shown.map((comment) => commentPayload(comment, site, hasProperties)),
      };
    });
    this.get('/issue/:issue/transitions', (request, account) => ({
      transitions: transitionsFrom(this.issue(request, account).status),
    }));
  }

  private addPeople(): void {
    const { site, directory } = this;
    this.get('/myself', (_, account) => userPayload(directory.person(account)!));
    this.get('/user', ({ query }) => {
      const found = directory.byUsername(query.get('username')) ?? directory.person(query.get('key') ?? '');
      if (!found) throw refusal(404, `The user named '${query.get('username')}' does not exist`);
      return userPayload(found);
    });
    this.get('/mypermissions', (_, account) => ({
      permissions: Object.fromEntries(
        ['ADMINISTER', 'USER_PICKER', 'BROWSE_PROJECTS'].map((key) => {
          const browses = key === 'BROWSE_PROJECTS' && this.projectsOf(account).length > 0;
          return [key, { key, havePermission: browses || site.hasGlobalPermission(account, key) }];
        }),
      ),
    }));
    this.get('/group/member', ({ query }, account) => {
      this.require(account, 'ADMINISTER');
      const group = directory.groups.get(query.get('groupname') ?? '');
      if (!group) throw refusal(404, `The group named '${query.get('groupname')}' does not exist`);
      const members = [...group.members].map((id) => directory.person(id)!).filter(({ isActive }) => isActive);
      const startAt = Number(query.get('startAt') ?? 0);
      const values = members.slice(startAt, startAt + 50).map(userPayload);
      const isLast = startAt + values.length >= members.length;
      return { maxResults: 50, startAt, total: members.length, isLast, values };
    });
  }

  private addPermissions(): void {
    const { site, directory } = this;
    this.get('/project/:project/permissionscheme', (request, account) => {
      const project = this.project(request, account);
      if (project.hidesPermissions) throw refusal(403, 'You do not have permission to view the permission scheme.');
      this.require(account, 'ADMINISTER');
      const permissions = project.scheme.permissions.map(({ permission, holder }, index) => ({
        id: index + 1,
        permission,
        holder: holderPayload(holder, directory),
      }));
      return { id: Number(project.scheme.id), name: 'Scheme', permissions };
    });
    this.get('/project/:project/role/:role', (request, account) => {
      const project = this.project(request, account);
      const role = site.roles.get(request.params.role);
      if (!role) throw refusal(404, 'Can not retrieve a role actor for a null project role.');
      const users = [...(role.users.get(project.id) ?? [])].map((id) => ({
        type: 'atlassian-user-role-actor',
        name: directory.person(id)?.username ?? id,
      }));
      const groups = [...(role.groups.get(project.id) ?? [])].map((name) => ({
        type: 'atlassian-group-role-actor',
        name,
      }));
      return { id: Number(role.id), name: role.name, actors: [...users, ...groups] };
    });
    this.get('/project/:project/issuesecuritylevelscheme', (request, account) => {
      const { securityScheme } = this.project(request, account);
      this.require(account, 'ADMINISTER');
      if (!securityScheme) throw refusal(404, 'No issue security scheme found.');
      const levels = securityScheme.levels.map(({ id, name }) => ({ id, name }));
      return { id: Number(securityScheme.id), name: 'Levels', levels };
    });
    this.get('/applicationrole', (_, account) => {
      this.require(account, 'ADMINISTER');
      return [...site.applicationRoles].map(([key, groups]) => ({ key, name: key, groups, defaultGroups: groups }));
    });
  }

  private addWrites(): void {
    const { site } = this;
    this.on('POST', '/issue', ({ body }, account) => {
      const { project, issuetype, summary, description, labels } = (body as { fields: NewIssue }).fields;
      const target = site.projects.get(project.id);
      if (!target || !site.canBrowseProject(account, target))
        return { status: 400, body: { errorMessages: [], errors: { project: 'valid project is required' } } };
      if (description !== undefined && typeof description !== 'string')
        return {
          status: 400,
          body: { errorMessages: [], errors: { description: 'Operation value must be a string' } },
        };
      const issue = site.addIssue(target, summary, {
        type: issuetype.name,
        description: description ?? null,
        labels: labels ?? [],
        reporterId: account,
      });
      return { status: 201, body: { id: issue.id, key: issue.key, self: `${this.url}${api}/issue/${issue.id}` } };
    });
    this.on('POST', '/issue/:issue/comment', (request, account) => {
      const { body } = request.body as { body: string };
      const comment = site.addComment(this.issue(request, account), account, '', { body });
      return { status: 201, body: commentPayload(comment, site, false) };
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

  /** Pages by offset, with a total. It reads the search index, which may lag. */
  private search({ body }: SimulatedRequest, account: string): SimulatedReply {
    const { jql = '', fields = ['*all'], startAt = 0, maxResults = 50, validateQuery = true } = body as SearchBody;
    const found = this.find(jql, account, validateQuery);
    const issues = found.slice(startAt, startAt + Math.min(maxResults, this.mostPerPage));
    const payloads = issues.map((issue) => issuePayload(issue, fields, this.site));
    return { body: { startAt, maxResults, total: found.length, issues: payloads } };
  }

  private find(jql: string, account: string, isValidated: boolean): SimulatedIssue[] {
    const { site } = this;
    try {
      const { matches } = parseJql(jql, site, account, epicLinkField);
      const indexed = [...site.issues.values()]
        .map((issue) => (issue.indexed === undefined ? issue : issue.indexed))
        .filter((issue) => issue !== null);
      return indexed
        .filter((issue) => matches(issue) && site.canSee(account, issue))
        .sort((a, b) => a.created - b.created || Number(a.id) - Number(b.id));
    } catch (error) {
      if (!(error instanceof JqlError)) throw error;
      if (isValidated) throw refusal(400, error.message);
      return []; // a value that does not exist matches nothing
    }
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

  private issue({ params }: SimulatedRequest, account: string): SimulatedIssue {
    const { issues } = this.site;
    const issue = issues.get(params.issue) ?? [...issues.values()].find(({ key }) => key === params.issue);
    if (!issue || !this.site.canSee(account, issue)) throw refusal(404, 'Issue Does Not Exist');
    return issue;
  }

  private projectPayload({ id, key, name, type, leadAccountId }: SimulatedProject): object {
    const lead = this.directory.person(leadAccountId);
    return { id, key, name, projectTypeKey: type, archived: false, ...(lead && { lead: userPayload(lead) }) };
  }

  private require(account: string, permission: string): void {
    if (!this.site.hasGlobalPermission(account, permission))
      throw refusal(403, 'You are not authorized to perform this operation. Administrator privileges are required.');
  }
}

interface SearchBody {
  jql?: string;
  fields?: string[];
  startAt?: number;
  maxResults?: number;
  validateQuery?: boolean;
}

interface NewIssue {
  project: { id: string };
  issuetype: { name: string };
  summary: string;
  description?: string;
  labels?: string[];
}

const workflow = ['To Do', 'In Progress', 'Done'];

const transitionsFrom = (status: string) =>
  workflow
    .map((name, index) => ({ id: String(11 + index * 10), name: `Move to ${name}`, to: { name } }))
    .filter(({ to }) => to.name !== status);

const refusal = (status: number, message: string): SimulatedRefusal =>
  new SimulatedRefusal({ status, body: { errorMessages: [message], errors: {} } });
