import { gitHash, isOrganization, strongestRole, wholeSecond } from './github-data.ts';
import type {
  GithubComment,
  GithubDiscussion,
  GithubIssue,
  GithubOrganization,
  GithubRepository,
  GithubReview,
  GithubReviewComment,
  GithubRole,
  GithubTeam,
  GithubTree,
  GithubUser,
} from './github-data.ts';

/** A change, for webhooks. */
export interface GithubEvent {
  event: string;
  action?: string;
  repository?: GithubRepository;
  issue?: GithubIssue;
  discussion?: GithubDiscussion;
  organization?: GithubOrganization;
  ref?: string;
}

/** The users, organizations and repositories of a GitHub server, with operations to change them. */
export class GithubWorld {
  readonly users = new Map<number, GithubUser>();
  readonly organizations = new Map<number, GithubOrganization>();
  readonly repositories = new Map<number, GithubRepository>();
  /** Repositories by their former full names. */
  readonly formerNames = new Map<string, number>();
  readonly trees = new Map<string, GithubTree>();
  readonly blobs = new Map<string, Buffer>();
  /** The clock, in milliseconds. Tests can replace it. */
  now: () => number = Date.now;
  onEvent: (event: GithubEvent) => void = () => undefined;
  private lastId = 1000;

  nextId(): number {
    return ++this.lastId;
  }

  addUser(login: string, user: Partial<Omit<GithubUser, 'id' | 'login'>> = {}): GithubUser {
    const added = { id: this.nextId(), login, name: null, verifiedEmails: {}, samlNameId: null, ...user };
    this.users.set(added.id, added);
    return added;
  }

  addOrganization(login: string, organization: Partial<Omit<GithubOrganization, 'id' | 'login'>> = {}) {
    const added: GithubOrganization = {
      id: this.nextId(),
      login,
      members: new Map(),
      basePermission: 'none',
      teams: [],
      enterprise: null,
      hasVerifiedDomain: true,
      hasSaml: false,
      ...organization,
    };
    this.organizations.set(added.id, added);
    return added;
  }

  setMember(organization: GithubOrganization, user: GithubUser, role: 'admin' | 'member' | null): void {
    if (role) organization.members.set(user.id, role);
    else {
      organization.members.delete(user.id);
      for (const team of organization.teams) team.members.delete(user.id);
    }
    this.onEvent({ event: 'organization', action: role ? 'member_added' : 'member_removed', organization });
  }

  addTeam(organization: GithubOrganization, slug: string, members: GithubUser[], parent: GithubTeam | null = null) {
    const team = { id: this.nextId(), slug, members: new Set(members.map(({ id }) => id)), parent };
    organization.teams.push(team);
    return team;
  }

  setTeamMember(organization: GithubOrganization, team: GithubTeam, user: GithubUser, isMember: boolean): void {
    if (isMember) team.members.add(user.id);
    else team.members.delete(user.id);
    this.onEvent({ event: 'membership', action: isMember ? 'added' : 'removed', organization });
  }

  addRepository(
    owner: GithubOrganization | GithubUser,
    name: string,
    repository: Partial<
      Pick<GithubRepository, 'visibility' | 'isArchived' | 'hasDiscussions' | 'hasWiki' | 'defaultBranch'>
    > = {},
  ): GithubRepository {
    const at = wholeSecond(this.now());
    const added: GithubRepository = {
      id: this.nextId(),
      name,
      owner,
      visibility: 'private',
      isArchived: false,
      hasDiscussions: true,
      hasWiki: false,
      defaultBranch: 'main',
      direct: new Map(),
      teamGrants: new Map(),
      issues: new Map(),
      issueVersion: 0,
      formerIssues: new Map(),
      discussions: new Map(),
      nextNumber: 1,
      files: new Map(),
      head: null,
      pushedAt: at,
      updatedAt: at,
      ...repository,
    };
    this.repositories.set(added.id, added);
    return added;
  }

  fullName({ owner, name }: GithubRepository): string {
    return `${owner.login}/${name}`;
  }

  findRepository(owner: string, name: string): GithubRepository | undefined {
    const wanted = `${owner}/${name}`.toLowerCase();
    return [...this.repositories.values()].find((one) => this.fullName(one).toLowerCase() === wanted);
  }

  rename(repository: GithubRepository, name: string): void {
    this.formerNames.set(this.fullName(repository).toLowerCase(), repository.id);
    repository.name = name;
    this.onEvent({ event: 'repository', action: 'renamed', repository });
  }

  setVisibility(repository: GithubRepository, visibility: GithubRepository['visibility']): void {
    repository.visibility = visibility;
    this.onEvent({ event: 'repository', action: visibility === 'public' ? 'publicized' : 'privatized', repository });
  }

  setCollaborator(repository: GithubRepository, user: GithubUser, role: GithubRole | null): void {
    if (role) repository.direct.set(user.id, role);
    else repository.direct.delete(user.id);
    this.onEvent({ event: 'member', action: role ? 'added' : 'removed', repository });
  }

  grantTeam(repository: GithubRepository, team: GithubTeam, role: GithubRole | null): void {
    if (role) repository.teamGrants.set(team.id, role);
    else repository.teamGrants.delete(team.id);
    this.onEvent({ event: 'team', action: role ? 'added_to_repository' : 'removed_from_repository', repository });
  }

  deleteRepository(repository: GithubRepository): void {
    this.repositories.delete(repository.id);
    this.onEvent({ event: 'repository', action: 'deleted', repository });
  }

  /** The effective role of a user with granted access. Null for others, even in a public repository. */
  roleOf(repository: GithubRepository, userId: number): GithubRole | null {
    const { owner } = repository;
    if (!isOrganization(owner))
      return strongestRole([owner.id === userId ? 'admin' : null, repository.direct.get(userId)]);
    const membership = owner.members.get(userId);
    const grants = owner.teams
      .filter(({ members }) => members.has(userId))
      .flatMap((team) => {
        const found: (GithubRole | undefined)[] = [];
        for (let one: GithubTeam | null = team; one; one = one.parent) found.push(repository.teamGrants.get(one.id));
        return found;
      });
    const base = membership ? owner.basePermission : null;
    return strongestRole([membership === 'admin' ? 'admin' : null, base, repository.direct.get(userId), ...grants]);
  }

  addIssue(repository: GithubRepository, author: GithubUser | null, title: string, issue: Partial<GithubIssue> = {}) {
    const at = wholeSecond(this.now());
    const added: GithubIssue = {
      id: this.nextId(),
      number: repository.nextNumber++,
      title,
      body: null,
      user: author?.id ?? null,
      state: 'open',
      stateReason: null,
      labels: [],
      comments: [],
      createdAt: at,
      updatedAt: at,
      closedAt: null,
      pull: null,
      ...issue,
    };
    repository.issues.set(added.number, added);
    repository.issueVersion++;
    this.onEvent({ event: added.pull ? 'pull_request' : 'issues', action: 'opened', repository, issue: added });
    return added;
  }

  addPull(repository: GithubRepository, author: GithubUser | null, title: string, issue: Partial<GithubIssue> = {}) {
    const pull = { reviews: [], reviewComments: [], mergedAt: null };
    return this.addIssue(repository, author, title, { pull, ...issue });
  }

  editIssue(
    repository: GithubRepository,
    issue: GithubIssue,
    changes: Partial<Pick<GithubIssue, 'title' | 'body' | 'state' | 'stateReason' | 'labels'>>,
  ): void {
    Object.assign(issue, changes);
    if (changes.state) issue.closedAt = changes.state === 'closed' ? wholeSecond(this.now()) : null;
    this.touch(issue, repository);
    this.onEvent({ event: issue.pull ? 'pull_request' : 'issues', action: 'edited', repository, issue });
  }

  addComment(repository: GithubRepository, issue: GithubIssue, author: GithubUser | null, body: string): GithubComment {
    const comment = this.newComment(author, body);
    issue.comments.push(comment);
    this.touch(issue, repository);
    this.onEvent({ event: 'issue_comment', action: 'created', repository, issue });
    return comment;
  }

  /** The time of the issue stays. */
  editComment(repository: GithubRepository, issue: GithubIssue, comment: GithubComment, body: string): void {
    comment.body = body;
    comment.updatedAt = wholeSecond(this.now());
    this.onEvent({ event: 'issue_comment', action: 'edited', repository, issue });
  }

  /** The time of the issue stays. */
  deleteComment(repository: GithubRepository, issue: GithubIssue, comment: GithubComment): void {
    issue.comments = issue.comments.filter((one) => one !== comment);
    this.onEvent({ event: 'issue_comment', action: 'deleted', repository, issue });
  }

  addReview(
    repository: GithubRepository,
    issue: GithubIssue,
    author: GithubUser,
    state: GithubReview['state'],
    body: string,
  ): void {
    const at = wholeSecond(this.now());
    issue.pull!.reviews.push({ id: this.nextId(), user: author.id, state, body, submittedAt: at });
    this.touch(issue, repository);
    this.onEvent({ event: 'pull_request_review', action: 'submitted', repository, issue });
  }

  addReviewComment(
    repository: GithubRepository,
    issue: GithubIssue,
    author: GithubUser | null,
    comment: Pick<GithubReviewComment, 'path' | 'line' | 'body'> & { thread?: number },
  ): GithubReviewComment {
    const thread = comment.thread ?? this.nextId();
    const added = { ...this.newComment(author, comment.body), ...comment, thread };
    issue.pull!.reviewComments.push(added);
    this.touch(issue, repository);
    this.onEvent({ event: 'pull_request_review_comment', action: 'created', repository, issue });
    return added;
  }

  /** The time and the counts of the pull request stay. */
  deleteReviewComment(repository: GithubRepository, issue: GithubIssue, comment: GithubReviewComment): void {
    issue.pull!.reviewComments = issue.pull!.reviewComments.filter((one) => one !== comment);
    this.onEvent({ event: 'pull_request_review_comment', action: 'deleted', repository, issue });
  }

  deleteIssue(repository: GithubRepository, issue: GithubIssue): void {
    repository.issues.delete(issue.number);
    repository.formerIssues.set(issue.number, 'deleted');
    this.onEvent({ event: 'issues', action: 'deleted', repository, issue });
  }

  /** The issue has a new id and number in the other repository. */
  transferIssue(from: GithubRepository, issue: GithubIssue, to: GithubRepository): GithubIssue {
    const { id: _id, number: _number, ...rest } = issue;
    from.issues.delete(issue.number);
    const moved = this.addIssue(to, null, issue.title, rest);
    from.formerIssues.set(issue.number, { repository: to.id, number: moved.number });
    this.onEvent({ event: 'issues', action: 'transferred', repository: from, issue });
    return moved;
  }

  addDiscussion(repository: GithubRepository, author: GithubUser | null, title: string, body: string) {
    const at = wholeSecond(this.now());
    const number = repository.nextNumber++;
    const words = { title, body, category: 'General' };
    const times = { createdAt: at, updatedAt: at };
    const discussion = { id: this.nextId(), number, user: author?.id ?? null, comments: [], ...words, ...times };
    repository.discussions.set(number, discussion);
    this.onEvent({ event: 'discussion', action: 'created', repository, discussion });
    return discussion;
  }

  addDiscussionComment(
    repository: GithubRepository,
    discussion: GithubDiscussion,
    author: GithubUser | null,
    body: string,
    parent?: GithubComment,
  ): GithubComment {
    const comment = this.newComment(author, body);
    (parent?.replies ?? discussion.comments).push(comment);
    this.touch(discussion, repository);
    this.onEvent({ event: 'discussion_comment', action: 'created', repository, discussion });
    return comment;
  }

  /** The time of the discussion stays. */
  deleteDiscussionReply(
    repository: GithubRepository,
    discussion: GithubDiscussion,
    parent: GithubComment,
    reply: GithubComment,
  ): void {
    parent.replies = parent.replies.filter((one) => one !== reply);
    this.onEvent({ event: 'discussion_comment', action: 'deleted', repository, discussion });
  }

  deleteDiscussion(repository: GithubRepository, discussion: GithubDiscussion): void {
    repository.discussions.delete(discussion.number);
    this.onEvent({ event: 'discussion', action: 'deleted', repository, discussion });
  }

  /** Commits files to the default branch; null removes one. */
  push(repository: GithubRepository, files: Record<string, string | Buffer | null>, mode = '100644'): void {
    for (const [path, content] of Object.entries(files)) {
      if (content === null) {
        repository.files.delete(path);
        continue;
      }
      const bytes = Buffer.from(content);
      const sha = gitHash('blob', bytes);
      this.blobs.set(sha, bytes);
      repository.files.set(path, { sha, size: bytes.length, mode });
    }
    const copy = new Map([...repository.files].sort(([a], [b]) => (a < b ? -1 : 1)));
    const listing = [...copy].map(([path, { sha }]) => `${path} ${sha}`).join('\n');
    const tree: GithubTree = { sha: gitHash('tree', listing), files: copy };
    this.trees.set(tree.sha, tree);
    repository.pushedAt = wholeSecond(this.now());
    repository.head = { sha: gitHash('commit', `${tree.sha} ${repository.head?.sha ?? ''}`), tree };
    this.onEvent({ event: 'push', repository, ref: `refs/heads/${repository.defaultBranch}` });
  }

  /** Simulates a garbage collection after a force push. */
  forgetTree(sha: string): void {
    this.trees.delete(sha);
  }

  private newComment(author: GithubUser | null, body: string): GithubComment {
    const at = wholeSecond(this.now());
    const times = { createdAt: at, updatedAt: at };
    return { id: this.nextId(), user: author?.id ?? null, body, ...times, minimizedReason: null, replies: [] };
  }

  private touch(touched: { updatedAt: Date }, repository: GithubRepository): void {
    repository.issueVersion++;
    touched.updatedAt = wholeSecond(this.now());
  }
}
