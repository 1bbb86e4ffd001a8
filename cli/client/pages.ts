import type { ServerClient } from './server-client.js';

/** Every page of a list. `field`: the member of the response that contains the items. */
export async function listAll<Field extends string, Item>(
  client: ServerClient,
  path: string,
  field: Field,
  query: Record<string, string> = {},
): Promise<Item[]> {
  const items: Item[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const search = new URLSearchParams({ ...query, limit: '100', ...(cursor ? { cursor } : {}) });
    const page: { [name in Field]: Item[] } & { nextCursor: string | null } = await client.getJson(`${path}?${search}`);
    items.push(...page[field]);
    cursor = page.nextCursor;
  }
  return items;
}
