import { GraphQLError } from 'graphql';
import { stateNames } from './state.ts';
import type { LinearCommentRow, LinearIssueRow, LinearState, LinearTeamRow } from './state.ts';

interface Page {
  first?: number;
  after?: string;
}
interface Comparators {
  id?: { eq?: string; in?: string[] };
  updatedAt?: { gte?: string };
  team?: { id?: { eq?: string; in?: string[] } };
  hasSharedUsers?: { eq?: boolean };
  issue?: Comparators;
}
interface ListArguments extends Page {
  filter?: Comparators;
  includeArchived?: boolean;
  orderBy?: 'createdAt' | 'updatedAt';
}
/** The fields of a row that lists filter and sort by. */
interface ListedRow {
  id: string;
  createdAt: Date;
  updatedAt: Date;
  archivedAt?: Date;
  team?: string;
  sharedWith?: ReadonlySet<string>;
}

const inputError = (message: string) =>
  new GraphQLError(message, { extensions: { code: 'INPUT_ERROR', type: 'invalid input', userError: true } });

/** Resolves queries with the permissions of the owner of the key. Nodes are objects with functions for graphql-js. */
export class LinearResolvers {
  private readonly state: LinearState;
  readonly url: string;

  constructor(state: LinearState, url: string) {
    this.state = state;
    this.url = url;
  }

  readonly root = {
    viewer: () => this.userNode(this.state.viewer),
    organization: () => this.state.organization,
    users: (page: Page) =>
      this.connection(
        [...this.state.users.values()].filter(({ active }) => active),
        page,
        ({ id }) => this.userNode(id)!,
      ),
    teams: (page: Page) =>
      this.connection(
        [...this.state.teams.values()].filter((team) => this.isVisible(team)),
        page,
        ({ id }) => this.teamNode(id),
      ),
    team: ({ id }: { id: string }) => this.teamNode(this.visibleTeam(id).id),
    issues: (args: ListArguments) => this.list(this.visibleIssues(), args, (issue) => this.issueNode(issue.id)),
    issue: ({ id }: { id: string }) => this.issueNode(this.findIssue(id).id),
    comments: (args: ListArguments) => this.list(this.visibleComments(args), args, (row) => this.commentNode(row)),
    comment: ({ id }: { id: string }) => this.commentNode(this.state.comments.get(id) ?? notFound('Comment')),
    projects: (args: ListArguments) =>
      this.list([...this.state.projects.values()], args, ({ id }) => this.projectNode(id)),
    project: ({ id }: { id: string }) => this.projectNode(this.state.projects.has(id) ? id : notFound('Project')),
    projectUpdates: (args: ListArguments) =>
      this.list([...this.state.projectUpdates.values()], args, ({ id }) => this.projectUpdateNode(id)),
    documents: (args: ListArguments) =>
      this.list([...this.state.documents.values()], args, ({ id }) => this.documentNode(id)),
    issueCreate: ({ input }: { input: { id?: string; teamId: string; title?: string; description?: string } }) => {
      this.visibleTeam(input.teamId);
      this.requireNew(input.id, this.state.issues);
      if (!input.title) throw inputError('title is required');
      const { id, title, description } = input;
      const creator = this.state.viewer;
      return {
        success: true,
        issue: this.issueNode(this.state.addIssue(input.teamId, title, { ...(id && { id }), description, creator })),
      };
    },
    issueUpdate: ({ id, input }: { id: string; input: { stateId?: string } }) => {
      const issue = this.findIssue(id);
      const state = stateNames.find((name) => stateId(issue.team, name) === input.stateId);
      if (!state) throw inputError('stateId is not a state of the team');
      this.state.changeIssue(issue.id, { state });
      return { success: true, issue: this.issueNode(issue.id) };
    },
    commentCreate: ({ input }: { input: { id?: string; issueId?: string; body?: string } }) => {
      const issue = this.findIssue(input.issueId ?? '');
      this.requireNew(input.id, this.state.comments);
      if (!input.body) throw inputError('body is required');
      const more = { ...(input.id && { id: input.id }), user: this.state.viewer };
      return {
        success: true,
        comment: this.commentNode(this.state.comments.get(this.state.addComment(issue.id, input.body, more))!),
      };
    },
  };

  /** The client can choose the id, but each id can be used only once. */
  private requireNew(id: string | undefined, rows: Map<string, unknown>): void {
    if (id && !/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/.test(id))
      throw inputError('id must be a UUID v4');
    if (id && rows.has(id)) throw inputError('Entity with this id already exists');
  }

  private isVisible(team: LinearTeamRow | undefined): boolean {
    if (!team) return false;
    if (team.visibility === 'public' || team.members.has(this.state.viewer)) return true;
    return team.visibility === 'restricted' && this.isVisible(this.state.teams.get(team.parent ?? ''));
  }

  private visibleTeam(id: string): LinearTeamRow {
    const team = this.state.teams.get(id);
    return team && this.isVisible(team) ? team : notFound('Team');
  }

  private visibleIssues(): LinearIssueRow[] {
    return [...this.state.issues.values()].filter((issue) => this.isVisibleIssue(issue));
  }

  private isVisibleIssue({ team, sharedWith }: LinearIssueRow): boolean {
    return this.isVisible(this.state.teams.get(team)) || sharedWith.has(this.state.viewer);
  }

  private findIssue(id: string): LinearIssueRow {
    const byIdentifier = () =>
      [...this.state.issues.values()].find(
        ({ identifier, previousIdentifiers }) => identifier === id || previousIdentifiers.includes(id),
      );
    const issue = this.state.issues.get(id) ?? byIdentifier();
    return issue && this.isVisibleIssue(issue) ? issue : notFound('Issue');
  }

  private visibleComments({ filter }: ListArguments): LinearCommentRow[] {
    const teams = filter?.issue?.team?.id?.in;
    return [...this.state.comments.values()].filter(({ issue }) => {
      const row = this.state.issues.get(issue);
      return row && this.isVisibleIssue(row) && (!teams || teams.includes(row.team));
    });
  }

  /** Newest first, as Linear sorts. */
  private list<T extends ListedRow>(rows: T[], args: ListArguments, nodeOf: (row: T) => object): object {
    const { filter = {}, includeArchived = false, orderBy = 'createdAt' } = args;
    const matching = rows.filter((row) => {
      const isShared = Boolean(row.sharedWith?.size);
      return (
        (includeArchived || !row.archivedAt) &&
        isAmong(row.id, filter.id) &&
        isAmong(row.team ?? '', filter.team?.id) &&
        (!filter.updatedAt?.gte || row.updatedAt >= new Date(filter.updatedAt.gte)) &&
        (filter.hasSharedUsers?.eq === undefined || filter.hasSharedUsers.eq === isShared)
      );
    });
    matching.sort((a, b) => b[orderBy].getTime() - a[orderBy].getTime() || (a.id < b.id ? -1 : 1));
    return this.connection(matching, args, nodeOf);
  }

  /** A cursor is the id of the last node. */
  private connection<T extends { id: string }>(
    rows: readonly T[],
    { first = 50, after }: Page,
    nodeOf: (row: T) => object,
  ): object {
    if (first > 250) throw inputError('first must not be greater than 250');
    const from = after === undefined || after === null ? 0 : rows.findIndex(({ id }) => id === after) + 1;
    if (after && from === 0) throw inputError('The cursor is invalid');
    const nodes = rows.slice(from, from + first);
    return {
      nodes: nodes.map(nodeOf),
      pageInfo: { hasNextPage: from + first < rows.length, endCursor: nodes.at(-1)?.id ?? null },
    };
  }

  private userNode(id: string | undefined): object | null {
    const user = this.state.users.get(id ?? '');
    return user ? { ...user, displayName: user.name } : null;
  }

  private teamNode(id: string): object {
    const { members, parent, ...team } = this.state.teams.get(id)!;
    return {
      ...team,
      private: team.visibility === 'private',
      parent: () => (parent ? this.teamNode(parent) : null),
      members: (page: Page) =>
        this.connection(
          [...members].map((member) => this.state.users.get(member)!).filter(({ active }) => active),
          page,
          (user) => this.userNode(user.id)!,
        ),
      states: () =>
        this.connection(
          stateNames.map((name) => stateNode(id, name)),
          { first: 50 },
          (state) => state,
        ),
    };
  }

  private issueNode(id: string): object {
    const { team, state, creator, assignee, labels, project, parent, sharedWith, ...issue } =
      this.state.issues.get(id)!;
    return {
      ...issue,
      url: `${this.url}/acme/issue/${issue.identifier}`,
      team: () => this.teamNode(team),
      state: () => stateNode(team, state),
      creator: () => this.userNode(creator),
      assignee: () => this.userNode(assignee),
      labels: () => ({ nodes: labels.map((name) => ({ name })), pageInfo: { hasNextPage: false } }),
      project: () => (project ? this.projectNode(project) : null),
      parent: () => (parent ? this.issueNode(parent) : null),
      sharedAccess: () => ({
        isShared: sharedWith.size > 0,
        sharedWithCount: sharedWith.size,
        sharedWithUsers: [...sharedWith].map((user) => this.userNode(user)),
      }),
      comments: (page: Page) =>
        this.list(
          [...this.state.comments.values()].filter((comment) => comment.issue === id),
          page,
          (comment) => this.commentNode(comment),
        ),
    };
  }

  private commentNode({ issue, user, ...comment }: LinearCommentRow): object {
    return {
      ...comment,
      url: `${this.url}/acme/comment/${comment.id}`,
      user: () => this.userNode(user),
      issue: () => this.issueNode(issue),
    };
  }

  private projectNode(id: string): object {
    const { teams, lead, status, ...project } = this.state.projects.get(id)!;
    return {
      ...project,
      url: `${this.url}/acme/project/${id}`,
      status: { name: status },
      lead: () => this.userNode(lead),
      teams: (page: Page) =>
        this.connection(
          teams.map((team) => ({ id: team })),
          page,
          (team) => this.teamNode(team.id),
        ),
      projectUpdates: (page: Page) =>
        this.list(
          [...this.state.projectUpdates.values()].filter((update) => update.project === id),
          page,
          (update) => this.projectUpdateNode(update.id),
        ),
    };
  }

  private projectUpdateNode(id: string): object {
    const { project, user, ...update } = this.state.projectUpdates.get(id)!;
    return { ...update, user: () => this.userNode(user), project: () => this.projectNode(project) };
  }

  private documentNode(id: string): object {
    const { creator, team, project, issue, ...document } = this.state.documents.get(id)!;
    return {
      ...document,
      url: `${this.url}/acme/document/${id}`,
      creator: () => this.userNode(creator),
      team: () => (team ? this.teamNode(team) : null),
      project: () => (project ? this.projectNode(project) : null),
      issue: () => (issue ? this.issueNode(issue) : null),
    };
  }
}

const isAmong = (id: string, comparator: { eq?: string; in?: string[] } | undefined): boolean =>
  (comparator?.eq === undefined || comparator.eq === id) && (!comparator?.in || comparator.in.includes(id));

const stateId = (team: string, name: string): string => `${team} ${name}`;
const stateNode = (team: string, name: string) => ({
  id: stateId(team, name),
  name,
  type: name === 'Done' ? 'completed' : 'started',
});

const notFound = (what: string): never => {
  throw inputError(`Entity not found: ${what}`);
};
