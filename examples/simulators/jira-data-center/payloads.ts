import type { DataCenterDirectory, DataCenterPerson } from '../atlassian/data-center-directory.ts';
import type { JiraSite, SimulatedComment, SimulatedHolder, SimulatedIssue } from '../jira/jira-site.ts';
import { jiraTime } from '../jira/payloads.ts';

export const epicLinkField = 'customfield_10006';
export const epicNameField = 'customfield_10007';

export const userPayload = ({ accountId, username, displayName, email, showsEmail, isActive }: DataCenterPerson) => ({
  key: accountId,
  name: username,
  displayName,
  active: isActive,
  emailAddress: showsEmail ? email : '',
});

const personPayload = (id: string | null, directory: DataCenterDirectory) => {
  const found = id ? directory.person(id) : undefined;
  return found ? userPayload(found) : null;
};

/** The list of comments shows which ones are internal notes, if its properties are expanded. An issue does not. */
export function commentPayload(comment: SimulatedComment, site: JiraSite, hasProperties: boolean): object {
  const { id, authorId, body, created, updated, visibility, jsdPublic } = comment;
  return {
    id,
    author: personPayload(authorId, site.directory as DataCenterDirectory),
    body,
    created: jiraTime(created, site),
    updated: jiraTime(updated, site),
    ...(visibility && { visibility: { type: visibility.type, value: visibility.value } }),
    ...(hasProperties && !jsdPublic && { properties: [{ key: 'sd.public.comment', value: { internal: true } }] }),
  };
}

export function issuePayload(issue: SimulatedIssue, fields: readonly string[], site: JiraSite): object {
  const directory = site.directory as DataCenterDirectory;
  const project = site.projects.get(issue.projectId)!;
  const level = project.securityScheme?.levels.find(({ id }) => id === issue.levelId);
  const parent = issue.parentId ? site.issues.get(issue.parentId) : undefined;
  const all: Record<string, () => unknown> = {
    summary: () => issue.summary,
    description: () => issue.description,
    status: () => ({ name: issue.status }),
    issuetype: () => ({ name: issue.type, subtask: parent !== undefined && parent.type !== 'Epic' }),
    priority: () => ({ name: 'Medium' }),
    resolution: () => (issue.status === 'Done' ? { name: 'Done' } : null),
    project: () => ({ id: project.id, key: project.key, name: project.name, projectTypeKey: project.type }),
    ...(!project.typesWithoutLevel.has(issue.type) && {
      security: () => (level ? { id: level.id, name: level.name } : null),
    }),
    reporter: () => personPayload(issue.reporterId, directory),
    assignee: () => personPayload(issue.assigneeId, directory),
    labels: () => issue.labels,
    issuelinks: () => issue.links,
    updated: () => jiraTime(issue.updated, site),
    created: () => jiraTime(issue.created, site),
    [epicNameField]: () => issue.epicName,
    [epicLinkField]: () => (parent?.type === 'Epic' ? parent.key : null),
    ...(parent && parent.type !== 'Epic' && { parent: () => ({ id: parent.id, key: parent.key }) }),
    comment: () => ({
      comments: issue.comments.map((comment) => commentPayload(comment, site, false)),
      total: issue.comments.length,
      maxResults: issue.comments.length,
      startAt: 0,
    }),
  };
  const wanted = fields.includes('*all') ? Object.keys(all) : fields.filter((name) => name in all);
  return { id: issue.id, key: issue.key, fields: Object.fromEntries(wanted.map((name) => [name, all[name]()])) };
}

/** The expanded holder of a permission. */
export function holderPayload({ type, value, parameter }: SimulatedHolder, directory: DataCenterDirectory): object {
  const named = value ?? parameter;
  const person = type === 'user' ? directory.person(named ?? '') : undefined;
  return {
    type,
    // of a user, the login: only the expanded user has the key
    ...(named !== undefined && { parameter: person?.username ?? named }),
    ...(person && { user: userPayload(person) }),
    ...(type === 'group' && directory.groups.has(named ?? '') && { group: { name: named } }),
  };
}
