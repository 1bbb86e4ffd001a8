import { randomUUID } from 'node:crypto';

/** The state of a workspace, and operations to change it. Each change emits an event in the format of Linear's webhooks. */

interface Stored {
  id: string;
  createdAt: Date;
  updatedAt: Date;
  archivedAt?: Date;
  trashed?: boolean;
}
export interface LinearUserRow {
  id: string;
  name: string;
  email: string;
  active: boolean;
  guest: boolean;
  app: boolean;
}
export interface LinearTeamRow {
  id: string;
  key: string;
  name: string;
  visibility: string;
  parent?: string;
  members: Set<string>;
  issueCount: number;
}
export interface LinearIssueRow extends Stored {
  identifier: string;
  previousIdentifiers: string[];
  team: string;
  title: string;
  description?: string;
  state: string;
  creator?: string;
  assignee?: string;
  priorityLabel: string;
  labels: string[];
  project?: string;
  parent?: string;
  sharedWith: Set<string>;
  inheritsSharedAccess: boolean;
}
export interface LinearCommentRow extends Stored {
  issue: string;
  body: string;
  user?: string;
}
export interface LinearProjectRow extends Stored {
  name: string;
  description: string;
  content?: string;
  status: string;
  lead?: string;
  teams: string[];
}
export interface LinearProjectUpdateRow extends Stored {
  project: string;
  body: string;
  health: string;
  user: string;
}
export interface LinearDocumentRow extends Stored {
  title: string;
  content: string;
  creator?: string;
  team?: string;
  project?: string;
  issue?: string;
}

export interface LinearChange {
  action: 'create' | 'update' | 'remove' | 'restore';
  type: string;
  data: Record<string, unknown>;
  updatedFrom?: Record<string, unknown>;
}

type New<T extends Stored> = Partial<T> & { at?: Date };

export const stateNames = ['Backlog', 'Todo', 'In Progress', 'Done', 'Canceled'];

export class LinearState {
  readonly organization = { id: randomUUID(), name: 'Acme', urlKey: 'acme' };
  readonly users = new Map<string, LinearUserRow>();
  readonly teams = new Map<string, LinearTeamRow>();
  readonly issues = new Map<string, LinearIssueRow>();
  readonly comments = new Map<string, LinearCommentRow>();
  readonly projects = new Map<string, LinearProjectRow>();
  readonly projectUpdates = new Map<string, LinearProjectUpdateRow>();
  readonly documents = new Map<string, LinearDocumentRow>();
  /** The owner of the API key. */
  readonly viewer: string;
  onChange: (change: LinearChange) => void = () => undefined;
  private lastTime = 0;

  constructor() {
    this.viewer = this.addUser('Key Owner');
  }

  addUser(name: string, more: Partial<LinearUserRow> = {}): string {
    const email = `${name.toLowerCase().replaceAll(' ', '.')}@acme.example`;
    const user = { id: randomUUID(), name, email, active: true, guest: false, app: false, ...more };
    this.users.set(user.id, user);
    this.onChange({ action: 'create', type: 'User', data: { id: user.id } });
    return user.id;
  }

  changeUser(id: string, change: Partial<LinearUserRow>): void {
    Object.assign(this.users.get(id)!, change);
    this.onChange({ action: 'update', type: 'User', data: { id } });
  }

  addTeam(
    key: string,
    more: Partial<Omit<LinearTeamRow, 'members'>> & { members?: string[]; isViewerOutside?: boolean } = {},
  ): string {
    const { members = [], isViewerOutside = false, ...rest } = more;
    const id = randomUUID();
    const people = new Set([...members, ...(isViewerOutside ? [] : [this.viewer])]);
    this.teams.set(id, { id, key, name: `Team ${key}`, visibility: 'public', issueCount: 0, ...rest, members: people });
    return id;
  }

  addIssue(team: string, title: string, more: New<LinearIssueRow> = {}): string {
    const row: LinearIssueRow = {
      ...this.stored(more),
      identifier: this.nextIdentifier(team),
      previousIdentifiers: [],
      team,
      title,
      state: 'Todo',
      priorityLabel: 'No priority',
      labels: [],
      sharedWith: new Set(),
      inheritsSharedAccess: true,
      ...withoutTime(more),
    };
    this.issues.set(row.id, row);
    return this.report('create', 'Issue', row.id);
  }

  changeIssue(id: string, change: Partial<LinearIssueRow>): void {
    this.change(this.issues, 'Issue', id, change);
  }

  moveIssue(id: string, team: string): void {
    const issue = this.issues.get(id)!;
    const from = { teamId: issue.team };
    issue.previousIdentifiers.push(issue.identifier);
    Object.assign(issue, { team, identifier: this.nextIdentifier(team), updatedAt: this.now() });
    this.onChange({ action: 'update', type: 'Issue', data: { id, teamId: team }, updatedFrom: from });
  }

  addComment(issue: string, body: string, more: New<LinearCommentRow> = {}): string {
    const row = { ...this.stored(more), issue, body, ...withoutTime(more) };
    this.comments.set(row.id, row);
    this.onChange({ action: 'create', type: 'Comment', data: { id: row.id, issueId: issue } });
    return row.id;
  }

  /** Does not update the time of the issue. */
  editComment(id: string, body: string): void {
    const comment = this.comments.get(id)!;
    Object.assign(comment, { body, updatedAt: this.now() });
    this.onChange({ action: 'update', type: 'Comment', data: { id, issueId: comment.issue } });
  }

  deleteComment(id: string): void {
    const { issue } = this.comments.get(id)!;
    this.comments.delete(id);
    this.onChange({ action: 'remove', type: 'Comment', data: { id, issueId: issue } });
  }

  addProject(name: string, teams: string[], more: New<LinearProjectRow> = {}): string {
    const row = { ...this.stored(more), name, description: '', status: 'In Progress', teams, ...withoutTime(more) };
    this.projects.set(row.id, row);
    return this.report('create', 'Project', row.id);
  }

  changeProject(id: string, change: Partial<LinearProjectRow>): void {
    this.change(this.projects, 'Project', id, change);
  }

  addProjectUpdate(project: string, body: string, more: New<LinearProjectUpdateRow> = {}): string {
    const row = { ...this.stored(more), project, body, health: 'onTrack', user: this.viewer, ...withoutTime(more) };
    this.projectUpdates.set(row.id, row);
    this.onChange({ action: 'create', type: 'ProjectUpdate', data: { id: row.id, projectId: project } });
    return row.id;
  }

  addDocument(title: string, more: New<LinearDocumentRow> = {}): string {
    const row = { ...this.stored(more), title, content: '', ...withoutTime(more) };
    this.documents.set(row.id, row);
    return this.report('create', 'Document', row.id);
  }

  changeDocument(id: string, change: Partial<LinearDocumentRow>): void {
    this.change(this.documents, 'Document', id, change);
  }

  /** Deletes it permanently. */
  remove(kind: 'issues' | 'projects' | 'documents', id: string): void {
    this[kind].delete(id);
    this.onChange({
      action: 'remove',
      type: { issues: 'Issue', projects: 'Project', documents: 'Document' }[kind],
      data: { id },
    });
  }

  private change<T extends Stored>(rows: Map<string, T>, type: string, id: string, change: Partial<T>): void {
    Object.assign(rows.get(id)!, { updatedAt: this.now(), ...change });
    this.report('update', type, id);
  }

  private report(action: LinearChange['action'], type: string, id: string): string {
    this.onChange({ action, type, data: { id } });
    return id;
  }

  private stored({ at }: { at?: Date }): Stored {
    const time = at ?? this.now();
    return { id: randomUUID(), createdAt: time, updatedAt: time };
  }

  private nextIdentifier(team: string): string {
    const row = this.teams.get(team)!;
    return `${row.key}-${++row.issueCount}`;
  }

  /** A time that is later than all previous ones. */
  private now(): Date {
    this.lastTime = Math.max(Date.now(), this.lastTime + 1);
    return new Date(this.lastTime);
  }
}

function withoutTime<T extends { at?: Date }>({ at: _, ...rest }: T): Omit<T, 'at'> {
  return rest;
}
