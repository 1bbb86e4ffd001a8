import type { JiraSite, SimulatedIssue } from './jira-site.ts';

/** A query that Jira rejects with 400. */
export class JqlError extends Error {}

type Condition = (issue: SimulatedIssue) => boolean;

/** Parses a subset of JQL: projects, parents, times, levels and an order. */
export function parseJql(
  jql: string,
  site: JiraSite,
  accountId: string,
  /** The custom field of Jira Data Center. */
  epicLinkField?: string,
): { matches: Condition; isDescending: boolean } {
  const [, where, order = ''] = /^(.*?)(?:\s*ORDER BY\s+(.*))?$/is.exec(jql.trim())!;
  if (!where.trim()) throw new JqlError('Unbounded JQL queries are not allowed here. Please add a search restriction.');
  if (order && !/^(created|updated|key|id)(\s+(asc|desc))?(,\s*key(\s+asc)?)?$/i.test(order.trim()))
    throw new JqlError(`Not able to sort using field '${order}'.`);
  const conditions = where
    .split(/\s+AND\s+/i)
    .map((clause) => conditionOf(clause.trim(), site, accountId, epicLinkField));
  return { matches: (issue) => conditions.every((condition) => condition(issue)), isDescending: /desc$/i.test(order) };
}

function conditionOf(clause: string, site: JiraSite, accountId: string, epicLinkField?: string): Condition {
  const either = /^\((.+)\s+OR\s+(.+)\)$/i.exec(clause);
  if (either) {
    const [one, other] = either.slice(1).map((part) => conditionOf(part, site, accountId, epicLinkField));
    return (issue) => one(issue) || other(issue);
  }
  const epics = epicLinkField && /^cf\[(\d+)\]\s+in\s*\(([^()]*)\)$/i.exec(clause);
  if (epics && epicLinkField === `customfield_${epics[1]}`) {
    const keys = epics[2].split(',').map((key) => key.trim());
    return ({ parentId }) => keys.includes(site.issues.get(parentId ?? '')?.key ?? '');
  }
  const project = /^project\s*(?:=\s*(\S+)|in\s*\(([^()]*)\))$/i.exec(clause);
  if (project) return inProjects((project[2] ?? project[1]).split(','), site, accountId);
  const parent = /^parent\s+in\s*\(([^()]*)\)$/i.exec(clause);
  if (parent) {
    const ids = parent[1].split(',').map((id) => id.trim());
    for (const id of ids)
      if (!site.issues.has(id)) throw new JqlError(`A value with ID '${id}' does not exist for the field 'parent'.`);
    return ({ parentId }) => parentId !== null && ids.includes(parentId);
  }
  if (/^level\s+is\s+not\s+EMPTY$/i.test(clause)) return ({ levelId }) => levelId !== null;
  const level = /^level\s+in\s*\(([^()]*)\)$/i.exec(clause);
  if (level) {
    const ids = level[1].split(',').map((id) => id.trim());
    return ({ levelId }) => levelId !== null && ids.includes(levelId);
  }
  const updated = /^(updated|created)\s*>=\s*(?:"([^"]*)"|(\d+))$/i.exec(clause);
  if (!updated) throw new JqlError(`Error in the JQL Query: '${clause}' is not understood.`);
  const field = updated[1].toLowerCase() as 'updated' | 'created';
  const time = updated[3] ? Number(updated[3]) : timeOf(updated[2], site);
  return (issue) => issue[field] >= time;
}

function inProjects(names: string[], site: JiraSite, accountId: string): Condition {
  const ids = names.map((name) => {
    const wanted = name.trim().replace(/^"(.*)"$/, '$1');
    const project = [...site.projects.values()].find(({ id, key }) => id === wanted || key === wanted);
    if (!project || project.isArchived || !site.canBrowseProject(accountId, project))
      throw new JqlError(`The value '${wanted}' does not exist for the field 'project'.`);
    return project.id;
  });
  return ({ projectId }) => ids.includes(projectId);
}

/** Dates have the precision of a minute and the time zone of the account. */
function timeOf(literal: string, site: JiraSite): number {
  const relative = /^-(\d+)([mhdw])$/.exec(literal);
  const minutes = { m: 1, h: 60, d: 1440, w: 10_080 };
  if (relative) return site.now() - Number(relative[1]) * minutes[relative[2] as keyof typeof minutes] * 60_000;
  const date = /^(\d{4})[-/](\d\d)[-/](\d\d)(?: (\d\d):(\d\d))?$/.exec(literal);
  if (!date) throw new JqlError(`Date value '${literal}' is invalid.`);
  const [year, month, day, hour = 0, minute = 0] = date.slice(1).map((part) => (part ? Number(part) : undefined));
  return Date.UTC(year!, month! - 1, day, hour, minute) - site.utcOffsetMinutes * 60_000;
}
