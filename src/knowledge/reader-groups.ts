import type { EntityManager } from 'typeorm';
import { Group } from '../access/group.entity.js';
import type { ReaderGroups } from './index-partition.js';

export interface ResolvedGroups {
  groups: ReaderGroups;
  unknown: string[];
}

/** Sources name groups; ids are what is kept, so that renaming a group opens nothing. A name that nobody has opens nothing, either. */
export async function groupsByName(
  tx: EntityManager,
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

/** Many kinds have a field "groups": the only ones that may read what the connection brings. */
export const groupNamesOf = (settings: Record<string, unknown>): string[] | null =>
  Array.isArray(settings.groups) && settings.groups.length ? settings.groups.map(String) : null;
