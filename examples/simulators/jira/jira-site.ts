import { AtlassianDirectory } from '../atlassian/directory.ts';

export interface SimulatedHolder {
  type: string;
  parameter?: string;
  value?: string;
}

export interface SimulatedRole {
  id: string;
  name: string;
  /** Members by project id. */
  users: Map<string, Set<string>>;
  groups: Map<string, Set<string>>;
}

export interface SimulatedScheme {
  id: string;
  /** Permissions and their holders. */
  permissions: { permission: string; holder: SimulatedHolder }[];
}

export interface SimulatedLevel {
  id: string;
  name: string;
  members: SimulatedHolder[];
}

export interface SimulatedProject {
  id: string;
  key: string;
  name: string;
  style: 'classic' | 'next-gen';
  type: 'software' | 'service_desk';
  leadAccountId: string;
  scheme: SimulatedScheme;
  securityScheme: { id: string; levels: SimulatedLevel[] } | null;
  /** Issue types whose field configuration hides the security level. It still has effect. */
  typesWithoutLevel: Set<string>;
  isArchived: boolean;
  /** Only project administrators can read the permission scheme. */
  hidesPermissions: boolean;
  issueCount: number;
}

export interface SimulatedComment {
  id: string;
  authorId: string;
  /** A document of Jira Cloud, or wiki markup of Jira Data Center. */
  body: object | string;
  created: number;
  updated: number;
  visibility?: { type: 'group' | 'role'; value: string; identifier: string };
  jsdPublic: boolean;
}

export interface SimulatedIssue {
  id: string;
  key: string;
  projectId: string;
  type: string;
  summary: string;
  /** A document of Jira Cloud, or wiki markup of Jira Data Center. */
  description: object | string | null;
  /** An epic, or the issue of a subtask. */
  parentId: string | null;
  /** The short name of an epic of Jira Data Center. */
  epicName: string | null;
  status: string;
  reporterId: string | null;
  assigneeId: string | null;
  levelId: string | null;
  /** Roles of a team-managed project that may see the issue; empty: no restriction. */
  restrictedToRoles: string[];
  labels: string[];
  links: { type: { inward: string; outward: string }; outwardIssue: { key: string } }[];
  created: number;
  updated: number;
  comments: SimulatedComment[];
  /** The state in a lagging search index. Null: the index does not contain the issue yet. */
  indexed?: SimulatedIssue | null;
}

export const adfParagraphs = (...lines: string[]): object => ({
  type: 'doc',
  version: 1,
  content: lines.map((text) => ({ type: 'paragraph', content: [{ type: 'text', text }] })),
});

/** The data and permissions of a Jira site, with methods to change them. */
export class JiraSite {
  readonly directory: AtlassianDirectory;
  readonly projects = new Map<string, SimulatedProject>();
  readonly issues = new Map<string, SimulatedIssue>();
  readonly roles = new Map<string, SimulatedRole>();
  /** The groups with access to each product. */
  readonly applicationRoles = new Map<string, string[]>();
  /** The accounts with each global permission. */
  readonly globalPermissions = new Map<string, Set<string>>();
  /** Increases with every change. */
  revision = 0;
  /** The difference between the clock of the site and this machine. */
  clockOffsetMs = 0;
  /** The time zone of the account. Dates in JQL and in responses are in it. */
  utcOffsetMinutes = 60;
  /** Called for every change of an issue. */
  onEvent: (event: string, payload: object) => void = () => undefined;
  private isIndexPaused = false;
  private nextId = 10_000;

  constructor(directory = new AtlassianDirectory()) {
    this.directory = directory;
  }

  now(): number {
    return Date.now() + this.clockOffsetMs;
  }

  newId(): string {
    return String(++this.nextId);
  }

  addRole(name: string): SimulatedRole {
    const role = { id: this.newId(), name, users: new Map(), groups: new Map() };
    this.roles.set(role.id, role);
    return role;
  }

  setRoleMembers(role: SimulatedRole, project: SimulatedProject, users: string[], groups: string[] = []): void {
    role.users.set(project.id, new Set(users));
    role.groups.set(project.id, new Set(groups));
    this.revision++;
  }

  addProject(key: string, name: string, options: Partial<SimulatedProject> = {}): SimulatedProject {
    const project: SimulatedProject = {
      id: this.newId(),
      key,
      name,
      style: 'classic',
      type: 'software',
      leadAccountId: '',
      scheme: { id: this.newId(), permissions: [] },
      securityScheme: null,
      typesWithoutLevel: new Set(),
      isArchived: false,
      hidesPermissions: false,
      issueCount: 0,
      ...options,
    };
    this.projects.set(project.id, project);
    this.revision++;
    return project;
  }

  /** Sets the holders of the permission to browse a project. */
  setBrowsers(project: SimulatedProject, ...holders: SimulatedHolder[]): void {
    const others = project.scheme.permissions.filter(({ permission }) => permission !== 'BROWSE_PROJECTS');
    const browse = holders.map((holder) => ({ permission: 'BROWSE_PROJECTS', holder }));
    project.scheme.permissions = [...others, ...browse];
    this.revision++;
  }

  addLevel(project: SimulatedProject, name: string, ...members: SimulatedHolder[]): SimulatedLevel {
    project.securityScheme ??= { id: this.newId(), levels: [] };
    const level = { id: this.newId(), name, members };
    project.securityScheme.levels.push(level);
    this.revision++;
    return level;
  }

  addIssue(project: SimulatedProject, summary: string, options: Partial<SimulatedIssue> = {}): SimulatedIssue {
    const now = this.now();
    const issue: SimulatedIssue = {
      id: this.newId(),
      key: `${project.key}-${++project.issueCount}`,
      projectId: project.id,
      type: 'Task',
      summary,
      description: null,
      parentId: null,
      epicName: null,
      status: 'To Do',
      reporterId: null,
      assigneeId: null,
      levelId: null,
      restrictedToRoles: [],
      labels: [],
      links: [],
      created: now,
      updated: now,
      comments: [],
      ...options,
      ...(this.isIndexPaused && { indexed: null }),
    };
    this.issues.set(issue.id, issue);
    this.changed('jira:issue_created', issue);
    return issue;
  }

  editIssue(issue: SimulatedIssue, change: Partial<SimulatedIssue>): void {
    if (this.isIndexPaused && issue.indexed === undefined) issue.indexed = { ...issue };
    Object.assign(issue, change, { updated: Math.max(this.now(), issue.updated + 1) });
    this.changed('jira:issue_updated', issue);
  }

  addComment(
    issue: SimulatedIssue,
    authorId: string,
    text: string,
    options: Partial<SimulatedComment> = {},
  ): SimulatedComment {
    const now = this.now();
    const comment = {
      id: this.newId(),
      authorId,
      body: adfParagraphs(text),
      created: now,
      updated: now,
      jsdPublic: true,
    };
    const complete: SimulatedComment = { ...comment, ...options };
    this.editIssue(issue, { comments: [...issue.comments, complete] });
    return complete;
  }

  /** The issue keeps its id and gets a new key. */
  moveIssue(issue: SimulatedIssue, project: SimulatedProject): void {
    this.editIssue(issue, { projectId: project.id, key: `${project.key}-${++project.issueCount}`, levelId: null });
  }

  deleteIssue(issue: SimulatedIssue): void {
    this.issues.delete(issue.id);
    this.changed('jira:issue_deleted', issue);
  }

  /** Stops updates of the search index until `catchUpIndex`. */
  pauseIndex(): void {
    this.isIndexPaused = true;
  }

  catchUpIndex(): void {
    this.isIndexPaused = false;
    for (const issue of this.issues.values()) delete issue.indexed;
    this.revision++;
  }

  canBrowseProject(accountId: string, project: SimulatedProject): boolean {
    return project.scheme.permissions.some(
      // as in Jira, a grant to reporters or assignees shows the project, and in it only their own issues
      ({ permission, holder }) =>
        permission === 'BROWSE_PROJECTS' &&
        (['reporter', 'assignee'].includes(holder.type) || this.holds(holder, accountId, project)),
    );
  }

  canSee(accountId: string, issue: SimulatedIssue): boolean {
    const project = this.projects.get(issue.projectId)!;
    if (!this.directory.isActive(accountId) || project.isArchived) return false;
    const { permissions } = project.scheme;
    const browsers = permissions.filter(({ permission }) => permission === 'BROWSE_PROJECTS');
    const mayBrowse = browsers.some(({ holder }) => this.holds(holder, accountId, project, issue));
    if (!mayBrowse) return false;
    // an account without access to a product sees only what anonymous visitors see
    if (
      !this.hasProduct(accountId) &&
      (issue.levelId !== null || !browsers.some(({ holder }) => holder.type === 'anyone'))
    )
      return false;
    if (
      issue.restrictedToRoles.length &&
      !issue.restrictedToRoles.some((role) => this.hasRole(accountId, role, project))
    )
      return false;
    if (issue.levelId === null) return true;
    const level = project.securityScheme?.levels.find(({ id }) => id === issue.levelId);
    return level?.members.some((holder) => this.holds(holder, accountId, project, issue)) ?? false;
  }

  hasGlobalPermission(accountId: string, permission: string): boolean {
    return this.globalPermissions.get(permission)?.has(accountId) ?? false;
  }

  private holds(
    { type, value, parameter }: SimulatedHolder,
    accountId: string,
    project: SimulatedProject,
    issue?: SimulatedIssue,
  ): boolean {
    if (type === 'anyone') return true;
    if (type === 'user') return accountId === value;
    if (type === 'group') return this.directory.isMember(value!, accountId);
    if (type === 'projectLead') return accountId === project.leadAccountId;
    if (type === 'projectRole') return this.hasRole(accountId, value!, project);
    if (type === 'reporter') return issue?.reporterId === accountId;
    if (type === 'assignee') return issue?.assigneeId === accountId;
    if (type !== 'applicationRole') return false;
    return this.hasProduct(accountId, parameter ? [parameter] : undefined);
  }

  private hasProduct(accountId: string, products: Iterable<string> = this.applicationRoles.keys()): boolean {
    return [...products].some((product) =>
      this.applicationRoles.get(product)?.some((group) => this.directory.isMember(group, accountId)),
    );
  }

  private changed(event: string, { id, key }: SimulatedIssue): void {
    this.revision++;
    this.onEvent(event, { issue: { id, key } });
  }

  private hasRole(accountId: string, roleId: string, project: SimulatedProject): boolean {
    const role = this.roles.get(roleId);
    const groups = [...(role?.groups.get(project.id) ?? [])];
    return Boolean(
      role?.users.get(project.id)?.has(accountId) || groups.some((group) => this.directory.isMember(group, accountId)),
    );
  }
}
