import { chosenContainers } from '../atlassian/atlassian-site.js';
import { compareNumericIds } from '../atlassian/numeric-ids.js';
import { SourceRequestError } from '../source-kit/source-request.error.js';
import type { ConfluenceClient } from './confluence-client.js';
import type { ConfluenceSpace } from './confluence-schemas.js';

export async function visibleSpaces(confluence: ConfluenceClient): Promise<ConfluenceSpace[]> {
  const spaces: ConfluenceSpace[] = [];
  for await (const page of confluence.spaces()) spaces.push(...page);
  return spaces;
}

/**
 * The spaces that are read, by id. Lost access to a chosen space looks like deletion, so it is an error: its pages stay
 * until an administrator decides.
 */
export async function chosenSpaces(
  confluence: ConfluenceClient,
  settings: Record<string, unknown>,
): Promise<ConfluenceSpace[]> {
  const chosen = chosenContainers(settings);
  const visible = await visibleSpaces(confluence);
  const ids = new Set(visible.map(({ id }) => id));
  const missing = [...(chosen ?? [])].filter((id) => !ids.has(id));
  if (missing.length || !visible.length)
    throw new SourceRequestError(
      'missing',
      missing.length
        ? `The account no longer sees ${missing.length} of the chosen spaces (ids ${missing.slice(0, 5).join(', ')}). ` +
            'Restore its access, or remove them from the chosen spaces.'
        : 'The account sees no space. Give it the permission to view one.',
      null,
      true,
    );
  return visible.filter(({ id }) => !chosen || chosen.has(id)).sort((a, b) => compareNumericIds(a.id, b.id));
}
