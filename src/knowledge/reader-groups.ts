import type { Tx } from '../platform/database/tx.js';
import { Group } from '../access/group.entity.js';
import type { ReaderGroups } from './index-partition.js';

export interface ResolvedGroups {
  groups: ReaderGroups;
  unknown: string[];
}

/**
 * Resolves group names of sources to ids. Ids are stored, so renaming a group grants no access; neither does an unknown
 * name.
 */
export async function groupsByName(
  tx: Tx,
  tenantId: string,
): Promise<(names: readonly string[] | null | undefined) => ResolvedGroups> {
  const groups = await tx.find(Group, { where: { tenantId }, select: { id: true, name: true } });
  const ids = new Map(
    groups.flatMap(({ id, name }) => [
      [id, id],
      [name.toLowerCase(), id],
    ]),
  );
  return (names) => {
    if (names === null || names === undefined) return { groups: null, unknown: [] };
    return {
      groups: names.flatMap((name) => ids.get(name.trim().toLowerCase()) ?? []),
      unknown: names.filter((name) => !ids.has(name.trim().toLowerCase())),
    };
  };
}

/** The setting "groups" of many connectors restricts who may read the documents of the connection. */
export const groupNamesOf = (settings: Record<string, unknown>): string[] | null =>
  Array.isArray(settings.groups) && settings.groups.length ? settings.groups.map(String) : null;
