import { isOrganization } from './github-data.ts';
import type { GithubComment, GithubIssue, GithubRepository, GithubReviewComment, GithubUser } from './github-data.ts';
import type { GithubWorld } from './github-world.ts';

/** The JSON of GitHub's REST API. */
export class GithubPayloads {
  private readonly world: GithubWorld;
  private readonly origin: () => string;

  constructor(world: GithubWorld, origin: () => string) {
    this.world = world;
    this.origin = origin;
  }

  get api(): string {
    return `${this.origin()}/api/v3`;
  }

  user(id: number | null): object | null {
    const user = id === null ? undefined : this.world.users.get(id);
    if (!user) return null;
    return { ...this.simpleUser(user), site_admin: false };
  }

  simpleUser({ id, login }: GithubUser): Record<string, unknown> {
    return {
      login,
      id,
      node_id: `U_${id}`,
      avatar_url: `${this.origin()}/avatars/u/${id}?v=4`,
      url: `${this.api}/users/${login}`,
      html_url: `${this.origin()}/${login}`,
      type: login.endsWith('[bot]') ? 'Bot' : 'User',
    };
  }

  repository(repository: GithubRepository): Record<string, unknown> {
    const { id, name, owner, visibility, isArchived, hasDiscussions, defaultBranch, pushedAt, updatedAt } = repository;
    return {
      id,
      node_id: `R_${id}`,
      name,
      full_name: this.world.fullName(repository),
      private: visibility !== 'public',
      owner: {
        login: owner.login,
        id: owner.id,
        node_id: `O_${owner.id}`,
        type: isOrganization(owner) ? 'Organization' : 'User',
      },
      html_url: `${this.origin()}/${this.world.fullName(repository)}`,
      description: null,
      fork: false,
      url: `${this.api}/repos/${this.world.fullName(repository)}`,
      visibility,
      archived: isArchived,
      disabled: false,
      has_issues: true,
      has_wiki: repository.hasWiki,
      has_discussions: hasDiscussions,
      default_branch: defaultBranch,
      open_issues_count: [...repository.issues.values()].filter(({ state }) => state === 'open').length,
      pushed_at: apiTime(pushedAt),
      updated_at: apiTime(updatedAt),
      created_at: apiTime(updatedAt),
    };
  }

  issue(repository: GithubRepository, issue: GithubIssue): Record<string, unknown> {
    const { id, number, title, body, state, stateReason, labels, comments, pull } = issue;
    const home = `${this.origin()}/${this.world.fullName(repository)}`;
    const path = `${this.api}/repos/${this.world.fullName(repository)}`;
    return {
      id,
      node_id: nodeIdOf(issue),
      number,
      url: `${path}/issues/${number}`,
      repository_url: path,
      html_url: `${home}/${pull ? 'pull' : 'issues'}/${number}`,
      title,
      body,
      user: this.user(issue.user),
      labels: labels.map((name, at) => ({ id: at + 1, node_id: `LA_${at}`, name, color: 'd73a4a', default: false })),
      state,
      state_reason: stateReason,
      locked: false,
      assignee: null,
      assignees: [],
      milestone: null,
      comments: comments.length,
      created_at: apiTime(issue.createdAt),
      updated_at: apiTime(issue.updatedAt),
      closed_at: issue.closedAt && apiTime(issue.closedAt),
      author_association: 'MEMBER',
      ...(pull && {
        draft: false,
        pull_request: {
          url: `${path}/pulls/${number}`,
          html_url: `${home}/pull/${number}`,
          merged_at: pull.mergedAt && apiTime(pull.mergedAt),
        },
      }),
    };
  }

  comment(repository: GithubRepository, issue: GithubIssue, comment: GithubComment): Record<string, unknown> {
    const path = `${this.api}/repos/${this.world.fullName(repository)}`;
    return {
      id: comment.id,
      node_id: `IC_${comment.id}`,
      url: `${path}/issues/comments/${comment.id}`,
      html_url: `${this.origin()}/${this.world.fullName(repository)}/issues/${issue.number}#issuecomment-${comment.id}`,
      issue_url: `${path}/issues/${issue.number}`,
      user: this.user(comment.user),
      body: comment.body,
      created_at: apiTime(comment.createdAt),
      updated_at: apiTime(comment.updatedAt),
    };
  }

  reviewComment(
    repository: GithubRepository,
    issue: GithubIssue,
    comment: GithubReviewComment,
  ): Record<string, unknown> {
    const path = `${this.api}/repos/${this.world.fullName(repository)}`;
    return {
      id: comment.id,
      node_id: `PRRC_${comment.id}`,
      url: `${path}/pulls/comments/${comment.id}`,
      pull_request_url: `${path}/pulls/${issue.number}`,
      path: comment.path,
      line: comment.line,
      user: this.user(comment.user),
      body: comment.body,
      created_at: apiTime(comment.createdAt),
      updated_at: apiTime(comment.updatedAt),
    };
  }
}

export const apiTime = (at: Date): string => at.toISOString().replace(/\.\d{3}Z$/, 'Z');
export const nodeIdOf = ({ id, pull }: GithubIssue): string => `${pull ? 'PR' : 'I'}_${id}`;
