import { chosenContainers } from '../atlassian/atlassian-site.js';
import { compareNumericIds } from '../atlassian/numeric-ids.js';
import { SourceRequestError } from '../source-kit/source-request.error.js';
import type { JiraClient } from './jira-client.js';
import type { JiraProject } from './jira-schemas.js';

/**
 * The projects that are read, by id. Lost access to a chosen project looks like deletion, so it is an error: its issues
 * stay until an administrator decides.
 */
export async function chosenProjects(jira: JiraClient, settings: Record<string, unknown>): Promise<JiraProject[]> {
  const chosen = chosenContainers(settings);
  const visible = await jira.projects();
  const ids = new Set(visible.map(({ id }) => id));
  const missing = [...(chosen ?? [])].filter((id) => !ids.has(id));
  if (missing.length || !visible.length)
    throw new SourceRequestError(
      'missing',
      missing.length
        ? `The account no longer sees ${missing.length} of the chosen projects (ids ${missing.slice(0, 5).join(', ')}). ` +
            'Restore its access, or remove them from the chosen projects.'
        : 'The account sees no project. Give it the permission “Browse Projects”.',
      null,
      true,
    );
  return visible.filter(({ id }) => !chosen || chosen.has(id)).sort((a, b) => compareNumericIds(a.id, b.id));
}
