import type { AtlassianPerson } from '../atlassian/directory.ts';
import type { JiraSite, SimulatedComment, SimulatedIssue } from './jira-site.ts';

/** The number of comments in an issue payload. Further comments have an endpoint of their own. */
const commentsInIssue = 20;

export const userPayload = ({ accountId, accountType, displayName, email, showsEmail, isActive }: AtlassianPerson) => ({
  accountId,
  accountType,
  displayName,
  active: isActive,
  ...(showsEmail && { emailAddress: email }),
});

/** "2026-11-20T10:00:00.000+0100", in the time zone of the account. */
export function jiraTime(time: number, { utcOffsetMinutes }: JiraSite): string {
  const local = new Date(time + utcOffsetMinutes * 60_000).toISOString().slice(0, -1);
  const hours = String(Math.floor(Math.abs(utcOffsetMinutes) / 60)).padStart(2, '0');
  const minutes = String(Math.abs(utcOffsetMinutes) % 60).padStart(2, '0');
  return `${local}${utcOffsetMinutes < 0 ? '-' : '+'}${hours}${minutes}`;
}

export function commentPayload(comment: SimulatedComment, site: JiraSite): object {
  const { id, authorId, body, created, updated, visibility, jsdPublic } = comment;
  const author = site.directory.people.get(authorId);
  return {
    id,
    author: author && userPayload(author),
    body,
    created: jiraTime(created, site),
    updated: jiraTime(updated, site),
    jsdPublic,
    ...(visibility && { visibility }),
  };
}

export function issuePayload(issue: SimulatedIssue, fields: readonly string[], site: JiraSite): object {
  const project = site.projects.get(issue.projectId)!;
  const person = (id: string | null) => {
    const found = id ? site.directory.people.get(id) : undefined;
    return found ? userPayload(found) : null;
  };
  const level = project.securityScheme?.levels.find(({ id }) => id === issue.levelId);
  const all: Record<string, () => unknown> = {
    summary: () => issue.summary,
    description: () => issue.description,
    status: () => ({ name: issue.status }),
    issuetype: () => ({ name: issue.type, hierarchyLevel: issue.type === 'Epic' ? 1 : 0 }),
    ...(issue.parentId && { parent: () => parentPayload(site.issues.get(issue.parentId!)) }),
    priority: () => ({ name: 'Medium' }),
    resolution: () => (issue.status === 'Done' ? { name: 'Done' } : null),
    project: () => ({ id: project.id, key: project.key, name: project.name }),
    ...(project.style === 'classic' && { security: () => (level ? { id: level.id, name: level.name } : null) }),
    ...(project.style === 'next-gen' && { issuerestriction: () => restrictionPayload(issue) }),
    reporter: () => person(issue.reporterId),
    assignee: () => person(issue.assigneeId),
    labels: () => issue.labels,
    issuelinks: () => issue.links,
    updated: () => jiraTime(issue.updated, site),
    created: () => jiraTime(issue.created, site),
    comment: () => ({
      comments: issue.comments.slice(0, commentsInIssue).map((comment) => commentPayload(comment, site)),
      total: issue.comments.length,
      maxResults: commentsInIssue,
      startAt: 0,
    }),
  };
  const wanted = fields.includes('*all') ? Object.keys(all) : fields.filter((name) => name in all);
  return {
    id: issue.id,
    key: issue.key,
    ...(wanted.length && { fields: Object.fromEntries(wanted.map((name) => [name, all[name]()])) }),
  };
}

const parentPayload = (parent: SimulatedIssue | undefined) =>
  parent && { id: parent.id, key: parent.key, fields: { summary: parent.summary, issuetype: { name: parent.type } } };

const restrictionPayload = ({ restrictedToRoles }: SimulatedIssue) => ({
  issuerestrictions: restrictedToRoles.length ? { projectrole: restrictedToRoles.map((id) => ({ id })) } : {},
  shouldDisplay: true,
});
