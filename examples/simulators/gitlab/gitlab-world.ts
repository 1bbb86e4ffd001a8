import { createHash } from 'node:crypto';

export type GitlabVisibility = 'public' | 'internal' | 'private';
export type GitlabFeature = 'issues' | 'merge_requests' | 'repository' | 'wiki';
export type GitlabLevel = 'disabled' | 'private' | 'enabled';

/** https://docs.gitlab.com/api/access_requests/#valid-access-levels */
export const levels = { guest: 10, planner: 15, reporter: 20, developer: 30, maintainer: 40, owner: 50 };

export interface GitlabUser {
  id: number;
  username: string;
  /** The confirmed primary address. */
  email: string;
  isEmailPublic: boolean;
  isConfirmed: boolean;
  state: 'active' | 'blocked' | 'deactivated';
  isAdmin: boolean;
  isExternal: boolean;
  isBot: boolean;
}

export interface GitlabGroup {
  id: number;
  path: string;
  parent: GitlabGroup | null;
  members: Map<number, number>;
  visibility: GitlabVisibility;
  /** Null in editions without wikis of groups. */
  wikiLevel: GitlabLevel | null;
  /** The contents of pages by slug. */
  wiki: Map<string, string>;
}

export interface GitlabNote {
  id: number;
  author: GitlabUser | null;
  body: string;
  createdAt: string;
  isSystem: boolean;
  isInternal: boolean;
  position: { new_path: string; old_path: string; new_line: number | null } | null;
}

export interface GitlabThreadData {
  id: number;
  iid: number;
  kind: 'issues' | 'merge_requests';
  title: string;
  description: string;
  state: 'opened' | 'closed' | 'merged';
  isConfidential: boolean;
  author: GitlabUser;
  assignees: GitlabUser[];
  labels: string[];
  createdAt: string;
  updatedAt: string;
  discussions: GitlabNote[][];
}

export interface GitlabCommit {
  id: string;
  files: Map<string, { id: string; mode: string }>;
}

export interface GitlabProjectData {
  id: number;
  path: string;
  group: GitlabGroup;
  visibility: GitlabVisibility;
  isArchived: boolean;
  features: Record<GitlabFeature, GitlabLevel>;
  /** The members of the project itself. */
  members: Map<number, { level: number; expiresAt: string | null }>;
  /** Invited groups, with the highest role that they give. */
  invited: Map<GitlabGroup, number>;
  issues: GitlabThreadData[];
  merge_requests: GitlabThreadData[];
  commits: GitlabCommit[];
  blobs: Map<string, Buffer>;
  /** The contents of pages by slug. */
  wiki: Map<string, string>;
}

export interface GitlabChange {
  project?: GitlabProjectData;
  payload: Record<string, unknown>;
}

interface ThreadInput {
  description?: string;
  confidential?: boolean;
  assignees?: GitlabUser[];
  labels?: string[];
}

/** The users, groups and projects of a GitLab server. Each change reports the webhooks that GitLab would send. */
export class GitlabWorld {
  readonly users = new Map<number, GitlabUser>();
  readonly groups = new Map<number, GitlabGroup>();
  readonly projects = new Map<number, GitlabProjectData>();
  now: () => number = () => Date.now();
  onChange: (change: GitlabChange) => void = () => undefined;
  private lastId = 100;

  addUser(username: string, options: Partial<Omit<GitlabUser, 'id' | 'username'>> = {}): GitlabUser {
    const user: GitlabUser = {
      id: this.nextId(),
      username,
      email: `${username}@acme.example`,
      isEmailPublic: true,
      isConfirmed: true,
      state: 'active',
      isAdmin: false,
      isExternal: false,
      isBot: false,
      ...options,
    };
    this.users.set(user.id, user);
    return user;
  }

  addGroup(path: string, parent: GitlabGroup | null = null): GitlabGroup {
    const group: GitlabGroup = {
      id: this.nextId(),
      path: parent ? `${parent.path}/${path}` : path,
      parent,
      members: new Map(),
      visibility: 'private',
      wikiLevel: null,
      wiki: new Map(),
    };
    this.groups.set(group.id, group);
    return group;
  }

  addProject(group: GitlabGroup, name: string, visibility: GitlabVisibility = 'private'): GitlabProjectData {
    const project: GitlabProjectData = {
      id: this.nextId(),
      path: `${group.path}/${name}`,
      group,
      visibility,
      isArchived: false,
      features: { issues: 'enabled', merge_requests: 'enabled', repository: 'enabled', wiki: 'enabled' },
      members: new Map(),
      invited: new Map(),
      issues: [],
      merge_requests: [],
      commits: [],
      blobs: new Map(),
      wiki: new Map(),
    };
    this.projects.set(project.id, project);
    return project;
  }

  /** Null removes the membership. */
  setMember(project: GitlabProjectData, user: GitlabUser, level: number | null, expiresAt: string | null = null): void {
    if (level === null) project.members.delete(user.id);
    else project.members.set(user.id, { level, expiresAt });
    const event_name = level === null ? 'user_remove_from_team' : 'user_add_to_team';
    this.onChange({ project, payload: { event_name, project_id: project.id, user_id: user.id } });
  }

  setGroupMember(group: GitlabGroup, user: GitlabUser, level: number | null): void {
    if (level === null) group.members.delete(user.id);
    else group.members.set(user.id, level);
    const event_name = level === null ? 'user_remove_from_group' : 'user_add_to_group';
    this.onChange({ payload: { event_name, group_id: group.id, user_id: user.id } });
  }

  /** Moves a project with its own members and invited groups to another group. Its inherited members change. */
  transfer(project: GitlabProjectData, group: GitlabGroup): void {
    const { id: project_id, path: old_path_with_namespace } = project;
    const path_with_namespace = `${group.path}/${old_path_with_namespace.split('/').at(-1)}`;
    Object.assign(project, { group, path: path_with_namespace });
    const payload = { event_name: 'project_transfer', project_id, path_with_namespace, old_path_with_namespace };
    this.onChange({ project, payload });
  }

  levelInGroup(group: GitlabGroup, user: GitlabUser): number {
    return inherited(group, user);
  }

  /** The effective role: the highest of the project, its groups and the invited groups. */
  levelOf(project: GitlabProjectData, user: GitlabUser): number {
    const found = [project.members.get(user.id)?.level ?? 0, inherited(project.group, user)];
    for (const [group, most] of project.invited) found.push(Math.min(most, inherited(group, user)));
    return Math.max(...found);
  }

  addIssue(project: GitlabProjectData, author: GitlabUser, title: string, input: ThreadInput = {}): GitlabThreadData {
    return this.addThread(project, 'issues', author, title, input);
  }

  addMerge(project: GitlabProjectData, author: GitlabUser, title: string, input: ThreadInput = {}): GitlabThreadData {
    return this.addThread(project, 'merge_requests', author, title, input);
  }

  editThread(
    project: GitlabProjectData,
    thread: GitlabThreadData,
    change: Partial<Pick<GitlabThreadData, 'title' | 'description' | 'state' | 'isConfidential' | 'assignees'>>,
  ): void {
    const confidential = change.isConfidential !== undefined && { confidential: { current: change.isConfidential } };
    Object.assign(thread, change, { updatedAt: this.time() });
    this.reportThread(project, thread, { ...confidential });
  }

  /** GitLab closes the issue, which stays in its project, and copies it to the other one. */
  moveIssue(project: GitlabProjectData, issue: GitlabThreadData, target: GitlabProjectData): GitlabThreadData {
    const { author, title, description, isConfidential: confidential, assignees, labels } = issue;
    const copy = this.addIssue(target, author, title, { description, confidential, assignees, labels });
    copy.discussions = structuredClone(issue.discussions);
    this.comment(project, issue, author, `moved to ${target.path}#${copy.iid}`, { isSystem: true });
    this.editThread(project, issue, { state: 'closed' });
    return copy;
  }

  /** GitLab sends no webhook for a deletion. */
  deleteThread(project: GitlabProjectData, thread: GitlabThreadData): void {
    project[thread.kind] = project[thread.kind].filter((one) => one !== thread);
  }

  comment(
    project: GitlabProjectData,
    thread: GitlabThreadData,
    author: GitlabUser | null,
    body: string,
    options: Partial<Pick<GitlabNote, 'isSystem' | 'isInternal' | 'position'>> & { replyTo?: GitlabNote } = {},
  ): GitlabNote {
    const { replyTo, ...rest } = options;
    const createdAt = this.time();
    const note: GitlabNote = {
      id: this.nextId(),
      author,
      body,
      createdAt,
      isSystem: false,
      isInternal: false,
      position: null,
      ...rest,
    };
    const discussion = replyTo && thread.discussions.find((notes) => notes.includes(replyTo));
    if (discussion) discussion.push(note);
    else thread.discussions.push([note]);
    thread.updatedAt = createdAt;
    const target = { id: thread.id, iid: thread.iid };
    this.onChange({
      project,
      payload: {
        object_kind: 'note',
        project: { id: project.id },
        object_attributes: { id: note.id },
        [thread.kind === 'issues' ? 'issue' : 'merge_request']: target,
      },
    });
    return note;
  }

  /** Commits files to the default branch. Null deletes a file. */
  push(project: GitlabProjectData, files: Record<string, string | Buffer | null>, mode = '100644'): GitlabCommit {
    const next = new Map(project.commits.at(-1)?.files);
    for (const [path, content] of Object.entries(files)) {
      if (content === null) {
        next.delete(path);
        continue;
      }
      const bytes = Buffer.from(content);
      const id = createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
      project.blobs.set(id, bytes);
      next.set(path, { id, mode });
    }
    const id = createHash('sha1')
      .update(JSON.stringify([...next, project.id, this.nextId()]))
      .digest('hex');
    const commit = { id, files: next };
    project.commits.push(commit);
    const payload = { object_kind: 'push', event_name: 'push', after: id, project: { id: project.id } };
    this.onChange({ project, payload });
    return commit;
  }

  /** Null deletes the page. */
  writeWiki(project: GitlabProjectData, slug: string, content: string | null): void {
    if (content === null) project.wiki.delete(slug);
    else project.wiki.set(slug, content);
    const object_attributes = { slug, action: content === null ? 'delete' : 'update' };
    this.onChange({ project, payload: { object_kind: 'wiki_page', project: { id: project.id }, object_attributes } });
  }

  private addThread(
    project: GitlabProjectData,
    kind: GitlabThreadData['kind'],
    author: GitlabUser,
    title: string,
    { description = '', confidential = false, assignees = [], labels = [] }: ThreadInput,
  ): GitlabThreadData {
    const at = this.time();
    const thread: GitlabThreadData = {
      id: this.nextId(),
      iid: Math.max(0, ...project[kind].map(({ iid }) => iid)) + 1,
      kind,
      title,
      description,
      state: 'opened',
      isConfidential: confidential,
      author,
      assignees,
      labels,
      createdAt: at,
      updatedAt: at,
      discussions: [],
    };
    project[kind].push(thread);
    this.reportThread(project, thread, {});
    return thread;
  }

  private reportThread(project: GitlabProjectData, thread: GitlabThreadData, changes: object): void {
    const kind = thread.kind === 'issues' ? 'issue' : 'merge_request';
    this.onChange({
      project,
      payload: {
        object_kind: kind,
        event_type: thread.isConfidential ? 'confidential_issue' : kind,
        project: { id: project.id },
        object_attributes: { id: thread.id, iid: thread.iid, updated_at: thread.updatedAt },
        changes,
      },
    });
  }

  private nextId(): number {
    return ++this.lastId;
  }

  private time(): string {
    return new Date(this.now()).toISOString();
  }
}

const inherited = (group: GitlabGroup | null, user: GitlabUser): number =>
  group ? Math.max(group.members.get(user.id) ?? 0, inherited(group.parent, user)) : 0;
