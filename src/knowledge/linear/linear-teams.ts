import type { LinearApi, LinearIdentity } from './linear-api.js';
import { linearQueries } from './linear-queries.js';
import { linearTeam, type LinearProjectTeams, type LinearSharing, type LinearTeam } from './linear-wire.js';

export interface LinearWorkspace {
  /** Begins the ids of audiences: "linear.app/<id of the organization>". */
  id: string;
  urlKey: string;
  /** All teams that the key can see, by id. */
  teams: ReadonlyMap<string, LinearTeam>;
  /** Ids of the teams to read. */
  selected: ReadonlySet<string>;
  /** Chosen teams that the key cannot see. */
  lost: readonly string[];
  isEverything: boolean;
}

export async function openLinearWorkspace(
  api: LinearApi,
  settings: Record<string, unknown>,
  identity?: LinearIdentity,
): Promise<LinearWorkspace> {
  const { organization } = identity ?? (await api.identity());
  const list = await api.all(linearQueries.teams, linearTeam, { first: 100 });
  const teams = new Map(list.map((team) => [team.id, team]));
  const chosen = chosenTeams(settings);
  return {
    id: `linear.app/${organization.id}`,
    urlKey: organization.urlKey,
    teams,
    selected: chosen ? new Set([...chosen].filter((id) => teams.has(id))) : new Set(teams.keys()),
    lost: chosen ? [...chosen].filter((id) => !teams.has(id)) : [],
    isEverything: !chosen,
  };
}

/** Null: none was chosen. */
function chosenTeams({ containers }: Record<string, unknown>): ReadonlySet<string> | null {
  const ids = Array.isArray(containers)
    ? containers.filter((id): id is string => typeof id === 'string' && id !== '')
    : [];
  return ids.length ? new Set(ids) : null;
}

export const teamAudience = ({ id }: LinearWorkspace, team: string): string => `${id}/team/${team}`;
export const sharedIssueAudience = ({ id }: LinearWorkspace, issue: string): string => `${id}/issue/${issue}`;
export const projectAudience = ({ id }: LinearWorkspace, project: string): string => `${id}/project/${project}`;

/** The readers of an issue: those of its team, and people whom it or an issue above it was shared with. */
export function issueAudience(workspace: LinearWorkspace, issue: LinearSharing): string {
  const shared = sharedIssuesAbove(issue)[0];
  // sharing counts only together with the same team, because audiences are listed for the shared issue
  return shared && shared.team.id === issue.team.id
    ? sharedIssueAudience(workspace, shared.id)
    : teamAudience(workspace, issue.team.id);
}

/** The issue itself, if it is shared, and those that it inherits from. */
export function sharedIssuesAbove(issue: LinearSharing): LinearSharing[] {
  const own = issue.sharedAccess.isShared ? [issue] : [];
  return issue.inheritsSharedAccess && issue.parent ? [...own, ...sharedIssuesAbove(issue.parent)] : own;
}

/** Null: it belongs to no team that is read. */
export function projectReaders(workspace: LinearWorkspace, { id, teams }: LinearProjectTeams): string | null {
  const ids = teams.nodes.map((team) => team.id);
  if (!ids.some((team) => workspace.selected.has(team))) return null;
  return ids.length === 1 && !teams.pageInfo.hasNextPage
    ? teamAudience(workspace, ids[0])
    : projectAudience(workspace, id);
}
