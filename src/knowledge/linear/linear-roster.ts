import type { ConnectionContext } from '../../connections/connector-registry.service.js';
import type { ReaderSet, RosterEntry, SourceAudience } from '../../connections/knowledge-source.port.js';
import { isSourceFault } from '../source-kit/source-request.error.js';
import { LinearApi, type LinearApiOptions } from './linear-api.js';
import { linearQueries } from './linear-queries.js';
import {
  openLinearWorkspace,
  projectAudience,
  projectReaders,
  sharedIssueAudience,
  sharedIssuesAbove,
  teamAudience,
  type LinearWorkspace,
} from './linear-teams.js';
import {
  linearId,
  linearProjectTeams,
  type LinearProjectTeams,
  linearSharedIssue,
  type LinearSharedIssue,
  type LinearTeam,
  linearUser,
} from './linear-wire.js';

/** Null if unknown. */
type Readers = ReaderSet | null;

const rules = new Map([
  ['public', 'Public team: everyone in the workspace except guests, and guests who are members of the team.'],
  ['private', 'Private team: its members.'],
  ['restricted', 'Team inside a private team: its members, and the members of the teams above it.'],
]);
const maxParents = 10;

/** The people of the workspace, and the readers of each selected team, shared issue, and project of several teams. */
export async function* linearRoster(
  context: ConnectionContext,
  options: LinearApiOptions,
): AsyncGenerator<RosterEntry> {
  const api = new LinearApi(context, options);
  const workspace = await openLinearWorkspace(api, context.settings);
  const users = await api.all(linearQueries.users, linearUser, { first: 250 });
  const people = users.filter(({ active, app }) => active && !app);
  for (const { id, name, email } of people) yield { account: { id, name, email: email || undefined } };
  const everyone = `${workspace.id}/members`;
  yield { group: { id: everyone, accounts: people.filter(({ guest }) => !guest).map(({ id }) => id) } };

  const readers = new TeamReaders(api, workspace, everyone, new Set(people.map(({ id }) => id)));
  for (const id of workspace.selected) yield { audience: await teamEntry(workspace, id, readers) };
  for (const id of workspace.lost) yield { audience: lostTeam(workspace, id) };
  for (const issue of await sharedIssues(api, workspace))
    yield { audience: await issueEntry(workspace, issue, readers) };
  const projects = api.pages(linearQueries.projectTeams, linearProjectTeams, { first: 100, orderBy: 'createdAt' });
  for await (const { items } of projects)
    for (const project of items)
      if (projectReaders(workspace, project) === projectAudience(workspace, project.id))
        yield { audience: await projectEntry(workspace, project, readers) };
}

/** The readers of teams. Loads the members of each team once. */
class TeamReaders {
  private readonly members = new Map<string, string[] | null>();

  constructor(
    private readonly api: LinearApi,
    private readonly workspace: LinearWorkspace,
    private readonly everyone: string,
    private readonly people: ReadonlySet<string>,
  ) {}

  async of(id: string): Promise<Readers> {
    const team = this.workspace.teams.get(id);
    if (!team || !rules.has(team.visibility)) return null;
    const members = await this.membersOf(id);
    if (!members) return null;
    if (team.visibility === 'public') return { groups: [this.everyone], accounts: members };
    return { accounts: team.visibility === 'private' ? members : await this.withParents(team, members) };
  }

  known(ids: readonly string[]): string[] {
    return ids.filter((id) => this.people.has(id));
  }

  /** Adds the members of parent teams, up to the first private one. A parent that the key cannot see adds no one. */
  private async withParents(team: LinearTeam, members: readonly string[]): Promise<string[]> {
    const all = new Set(members);
    let parent = this.workspace.teams.get(team.parent?.id ?? '');
    for (let depth = 0; parent && parent.visibility !== 'public' && depth < maxParents; depth++) {
      for (const id of (await this.membersOf(parent.id)) ?? []) all.add(id);
      if (parent.visibility === 'private') break;
      parent = this.workspace.teams.get(parent.parent?.id ?? '');
    }
    return [...all];
  }

  private async membersOf(id: string): Promise<string[] | null> {
    const known = this.members.get(id);
    if (known !== undefined) return known;
    const members = await this.api
      .all(linearQueries.members, linearId, { id, first: 250 }, { inside: 'team' })
      .then((nodes) => this.known(nodes.map((node) => node.id)))
      .catch((error: unknown) => {
        if (isSourceFault(error, 'missing', 'forbidden')) return null;
        throw error;
      });
    this.members.set(id, members);
    return members;
  }
}

async function teamEntry(workspace: LinearWorkspace, id: string, readers: TeamReaders): Promise<SourceAudience> {
  const { name, key, visibility } = workspace.teams.get(id)!;
  const url = `https://linear.app/${workspace.urlKey}/team/${encodeURIComponent(key)}`;
  return audience(teamAudience(workspace, id), name, url, rules.get(visibility), [await readers.of(id)]);
}

/** Issues shared with people outside of their team, including people inherited from parent issues. */
async function sharedIssues(api: LinearApi, { selected }: LinearWorkspace): Promise<LinearSharedIssue[]> {
  const filter = { hasSharedUsers: { eq: true } };
  const issues = await api.all(linearQueries.sharedIssues, linearSharedIssue, {
    first: 50,
    orderBy: 'createdAt',
    filter,
  });
  const sharedWith = new Map(issues.map(({ id, sharedAccess }) => [id, sharedAccess.sharedWithUsers]));
  return issues
    .filter(({ team }) => selected.has(team.id))
    .map((issue) => {
      const users = sharedIssuesAbove(issue).flatMap(({ id }) => sharedWith.get(id) ?? []);
      return { ...issue, sharedAccess: { isShared: true, sharedWithUsers: users } };
    });
}

async function issueEntry(
  workspace: LinearWorkspace,
  { id, identifier, url, team, sharedAccess }: LinearSharedIssue,
  readers: TeamReaders,
): Promise<SourceAudience> {
  const base = await readers.of(team.id);
  const guests = readers.known(sharedAccess.sharedWithUsers.map((user) => user.id));
  const all = base && { ...base, accounts: [...(base.accounts ?? []), ...guests] };
  return audience(
    sharedIssueAudience(workspace, id),
    identifier,
    url,
    'Issue that was shared with people outside of its team: the readers of the team, and these people.',
    [all],
  );
}

async function projectEntry(
  workspace: LinearWorkspace,
  { id, name, url, teams }: LinearProjectTeams,
  readers: TeamReaders,
): Promise<SourceAudience> {
  const sets: Readers[] = teams.pageInfo.hasNextPage ? [null] : [];
  for (const team of teams.nodes) sets.push(await readers.of(team.id));
  const rule = 'Project of several teams: people who can read all of them.';
  return audience(projectAudience(workspace, id), name, url ?? undefined, rule, sets);
}

function audience(
  id: string,
  title: string,
  url: string | undefined,
  rule: string | undefined,
  sets: readonly Readers[],
): SourceAudience {
  const known = sets.filter((set) => set !== null);
  const isKnown = rule !== undefined && known.length > 0 && known.length === sets.length;
  if (isKnown) return { id, title, url, rule, readers: known };
  return { id, title, url, rule: 'Its readers are unknown, so no one can find it.', readers: 'unreadable' };
}

const lostTeam = (workspace: LinearWorkspace, id: string): SourceAudience => ({
  id: teamAudience(workspace, id),
  title: id,
  rule: 'The key can no longer see the team, so no one can find its documents.',
  readers: 'unreadable',
});
