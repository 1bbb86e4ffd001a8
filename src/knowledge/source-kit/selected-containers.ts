interface ContainerSource<T> {
  /** What the system calls a container. */
  noun: 'repository' | 'project';
  system: string;
  /** What to do if the credential sees none. */
  remedy: string;
  /** All that the credential can read, sorted by id. */
  list(): Promise<T[]>;
  find(id: number): Promise<T | null>;
}

/** Up to this number, chosen containers are requested one by one. */
const maxSingle = 10;

/** The ids in the setting `containers`. Null: everything. */
export function selectedIds({ containers }: Record<string, unknown>): number[] | null {
  if (!Array.isArray(containers) || !containers.length) return null;
  return containers.map(Number).filter((id) => Number.isSafeInteger(id) && id > 0);
}

/**
 * The containers of a connection, sorted by id. Throws if a chosen one is missing, because its documents must not be
 * removed if only the credential lost access.
 */
export async function selectedContainers<T extends { id: number }>(
  settings: Record<string, unknown>,
  { noun, system, remedy, list, find }: ContainerSource<T>,
): Promise<T[]> {
  const ids = selectedIds(settings);
  if (!ids) {
    const all = await list();
    if (all.length) return all;
    throw new Error(`${system} shows no ${noun} to this credential. ${remedy}`);
  }
  if (!ids.length) throw new Error(`The selection contains no ${noun}.`);
  const listed = ids.length > maxSingle ? await list() : [];
  const byId = new Map(listed.map((one) => [one.id, one]));
  const chosen: T[] = [];
  for (const id of [...new Set(ids)].sort((a, b) => a - b)) {
    const found = byId.get(id) ?? (await find(id));
    if (!found)
      throw new Error(
        `${system} no longer shows the ${noun} with the id ${id}: it was deleted, or the credential lost access. ` +
          `Restore the access, or remove the ${noun} from the selection.`,
      );
    chosen.push(found);
  }
  return chosen;
}
