import type { LinearApi, LinearIdentity } from './linear-api.js';
import { linearQueries } from './linear-queries.js';
import { linearTeam, type LinearProjectTeams, type LinearSharing, type LinearTeam } from './linear-wire.js';

export interface LinearWorkspace {
  /** The prefix of the ids of audiences: "linear.app/<id of the organization>". */
  id: string;
  urlKey: string;
  /** All teams that the key can see, by id. */
  teams: ReadonlyMap<string, LinearTeam>;
  /** The ids of the chosen teams that the key can see. Without a selection, of all teams. */
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

/** Null if none was chosen. */
function chosenTeams({ containers }: Record<string, unknown>): ReadonlySet<string> | null {
  const ids = Array.isArray(containers)
    ? containers.filter((id): id is string => typeof id === 'string' && id !== '')
    : [];
  return ids.length ? new Set(ids) : null;
}

export const teamAudience = ({ id }: LinearWorkspace, team: string): string => `${id}/team/${team}`;
export const sharedIssueAudience = ({ id }: LinearWorkspace, issue: string): string => `${id}/issue/${issue}`;
export const projectAudience = ({ id }: LinearWorkspace, project: string): string => `${id}/project/${project}`;

/** The audience of a shared issue if the issue is shared or inherits sharing, or else that of its team. */
export function issueAudience(workspace: LinearWorkspace, issue: LinearSharing): string {
  const shared = sharedIssuesAbove(issue)[0];
  // the audience of a shared issue includes the readers of its team, so it is used only within the same team
  return shared && shared.team.id === issue.team.id
    ? sharedIssueAudience(workspace, shared.id)
    : teamAudience(workspace, issue.team.id);
}

/** The issue itself if it is shared, and the parent issues from which it inherits sharing. */
export function sharedIssuesAbove(issue: LinearSharing): LinearSharing[] {
  const own = issue.sharedAccess.isShared ? [issue] : [];
  return issue.inheritsSharedAccess && issue.parent ? [...own, ...sharedIssuesAbove(issue.parent)] : own;
}

/** Null if the project belongs to no selected team. */
export function projectReaders(workspace: LinearWorkspace, { id, teams }: LinearProjectTeams): string | null {
  const ids = teams.nodes.map((team) => team.id);
  if (!ids.some((team) => workspace.selected.has(team))) return null;
  return ids.length === 1 && !teams.pageInfo.hasNextPage
    ? teamAudience(workspace, ids[0])
    : projectAudience(workspace, id);
}
