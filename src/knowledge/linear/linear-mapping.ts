import type { SourceDocument } from '../../connections/knowledge-source.port.js';
import { sha256 } from '../../platform/crypto/digest.js';
import { composeThread, type ThreadEntry } from '../source-kit/thread-text.js';
import { issueAudience, projectReaders, teamAudience, type LinearWorkspace } from './linear-teams.js';
import type { LinearDocument, LinearEntry, LinearIssue, LinearProject } from './linear-wire.js';

/* These functions create documents. They return null if the object belongs to no selected team. */

export const linearIdOf = (kind: 'issue' | 'project' | 'document', id: string): string => `${kind}/${id}`;

export function documentOfIssue(
  workspace: LinearWorkspace,
  issue: LinearIssue,
  comments: readonly LinearEntry[],
): SourceDocument | null {
  if (!workspace.selected.has(issue.team.id)) return null;
  const { identifier, archivedAt } = issue;
  const title = `${identifier}: ${issue.title}`;
  const content = composeThread({
    title,
    facts: [
      ['Status', issue.state?.name],
      ['Assignee', issue.assignee?.name],
      ['Project', issue.project?.name],
      ['Priority', issue.priorityLabel],
      ['Labels', issue.labels.nodes.map(({ name }) => name).join(', ')],
      ['Archived', archivedAt?.slice(0, 10)],
    ],
    body: issue.description,
    entries: entriesOf('Comment', comments),
  });
  return {
    ...common(issue.url, issue.updatedAt, content),
    externalId: linearIdOf('issue', issue.id),
    kind: 'ticket',
    title,
    author: issue.creator?.name ?? undefined,
    container: workspace.teams.get(issue.team.id)!.name,
    position: identifier,
    audience: issueAudience(workspace, issue),
  };
}

export function documentOfProject(
  workspace: LinearWorkspace,
  project: LinearProject,
  updates: readonly LinearEntry[],
): SourceDocument | null {
  const audience = projectReaders(workspace, project);
  if (audience === null) return null;
  const { name, description, content: body } = project;
  const content = composeThread({
    title: name,
    facts: [
      ['Status', project.status?.name],
      ['Lead', project.lead?.name],
      ['Archived', project.archivedAt?.slice(0, 10)],
    ],
    body: [description, body].filter(Boolean).join('\n\n'),
    entries: entriesOf('Update', updates),
  });
  return {
    ...common(project.url, project.updatedAt, content),
    externalId: linearIdOf('project', project.id),
    kind: 'doc',
    title: name || 'Project',
    author: project.lead?.name ?? undefined,
    container: teamNameOf(workspace, project.teams.nodes),
    audience,
  };
}

/** Undefined if the document belongs to no team, project or issue, so that its readers are unknown. */
export function documentOfDocument(
  workspace: LinearWorkspace,
  document: LinearDocument,
): SourceDocument | null | undefined {
  const { team, project, issue } = document;
  const audience = audienceOfDocument(workspace, document);
  if (audience === null || audience === undefined) return audience;
  const content = composeThread({
    title: document.title,
    facts: [
      ['Project', project?.name],
      ['Archived', document.archivedAt?.slice(0, 10)],
    ],
    body: document.content,
  });
  const teams = [team, issue?.team, ...(project?.teams.nodes ?? [])].flatMap((one) => one ?? []);
  return {
    ...common(document.url, document.updatedAt, content),
    externalId: linearIdOf('document', document.id),
    kind: 'doc',
    title: document.title || 'Document',
    author: document.creator?.name ?? undefined,
    container: teamNameOf(workspace, teams),
    audience,
  };
}

function audienceOfDocument(
  workspace: LinearWorkspace,
  { team, project, issue }: LinearDocument,
): string | null | undefined {
  if (issue) return workspace.selected.has(issue.team.id) ? issueAudience(workspace, issue) : null;
  if (project) return projectReaders(workspace, project);
  if (team) return workspace.selected.has(team.id) ? teamAudience(workspace, team.id) : null;
  return undefined;
}

const common = (url: string, updatedAt: string, content: string) => ({
  url,
  updatedAt: new Date(updatedAt),
  mediaType: 'text/markdown',
  content,
  // of the text, because an edited comment changes no other field of the issue
  fingerprint: sha256(content).toString('base64url'),
});

const entriesOf = (label: string, entries: readonly LinearEntry[]): ThreadEntry[] =>
  [...entries]
    .sort((a, b) => a.createdAt.localeCompare(b.createdAt))
    .map(({ user, botActor, createdAt, body }) => ({
      label,
      author: user?.name ?? botActor?.name,
      at: new Date(createdAt),
      text: body,
    }));

const teamNameOf = ({ teams, selected }: LinearWorkspace, ids: readonly { id: string }[]): string | undefined =>
  teams.get(ids.find(({ id }) => selected.has(id))?.id ?? '')?.name;
