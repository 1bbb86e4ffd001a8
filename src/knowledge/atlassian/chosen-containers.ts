import type { InvalidField } from '../../platform/errors/problem.js';
import { SourceRequestError } from '../source-kit/source-request.error.js';
import { compareNumericIds } from './numeric-ids.js';

/** Projects of Jira or spaces of Confluence. */
export interface ContainerKind {
  plural: 'projects' | 'spaces';
  /** The problem, and its solution, if the account sees none. */
  noneVisible: string;
}

interface Container {
  id: string;
}

type Settings = Record<string, unknown>;

/** The ids that were chosen in the picker; null for all. */
export function chosenContainers({ containers }: Settings): ReadonlySet<string> | null {
  return Array.isArray(containers) && containers.length ? new Set(containers.map(String)) : null;
}

/** Chosen ids that the account does not see. */
export function missingContainers(visible: readonly Container[], settings: Settings): string[] {
  const ids = new Set(visible.map(({ id }) => id));
  return [...(chosenContainers(settings) ?? [])].filter((id) => !ids.has(id));
}

/**
 * The containers to read, in the order of their ids. A chosen container that the account cannot see is an error, because
 * lost access looks like deletion: its documents stay until an administrator decides.
 */
export function containersToRead<T extends Container>(
  visible: readonly T[],
  settings: Settings,
  { plural, noneVisible }: ContainerKind,
): T[] {
  if (!visible.length) throw new SourceRequestError('missing', noneVisible, null, true);
  const missing = missingContainers(visible, settings);
  if (missing.length)
    throw new SourceRequestError(
      'missing',
      `The account no longer sees ${missing.length} of the chosen ${plural} (ids ${missing.slice(0, 5).join(', ')}). ` +
        `Restore its access, or remove them from the chosen ${plural}.`,
      null,
      true,
    );
  const chosen = chosenContainers(settings);
  return visible.filter(({ id }) => !chosen || chosen.has(id)).sort((a, b) => compareNumericIds(a.id, b.id));
}

/** Only ids are valid, because keys can be reassigned to another project or space. */
export function invalidContainers({ containers }: Settings, { plural }: ContainerKind): InvalidField[] {
  if (!Array.isArray(containers) || containers.every((id) => /^\d{1,19}$/.test(String(id)))) return [];
  return [{ pointer: '/settings/containers', detail: `must be ids of ${plural}` }];
}
