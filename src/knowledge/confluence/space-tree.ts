import { sha256 } from '../../platform/crypto/digest.js';
import { inParallel } from '../../platform/events/in-parallel.js';
import type { ReaderSet } from '../../connections/knowledge-source.port.js';
import { trimTrailing } from '../../platform/text/trim-trailing.js';
import { concurrentReads } from '../atlassian/atlassian-site.js';
import { compareNumericIds } from '../atlassian/numeric-ids.js';
import { slices } from '../atlassian/slices.js';
import { isSourceFault } from '../source-kit/source-request.error.js';
import { mostPerRestrictionRead, type ConfluenceClient } from './confluence-client.js';
import type { ConfluenceContent, ReadRestriction } from './confluence-schemas.js';

const maxPathLength = 200;

interface TreeNode {
  parentId: string | null;
  parentType: string | null;
}

/**
 * The ids of restricted pages and folders on the path from a page to the root of its space. Null: the path or a
 * restriction cannot be read.
 */
export type RestrictedPath = readonly string[] | null;

/**
 * The page tree of a space with its restrictions. An account may read a page if it may view the space and every
 * restriction on the path to the root includes it.
 */
export class SpaceTree {
  private readonly nodes = new Map<string, TreeNode>();
  /** Only of restricted nodes. Null: the account cannot read the restriction. */
  private readonly restricted = new Map<string, ReaderSet | null>();
  private readonly paths = new Map<string, RestrictedPath>();
  private readonly checked = new Set<string>();

  constructor(private readonly confluence: ConfluenceClient) {}

  /** Reads the restrictions of these pages and blog posts. */
  async add(contents: readonly ConfluenceContent[]): Promise<void> {
    for (const { id, parentId, parentType } of contents)
      this.nodes.set(id, { parentId: parentId ?? null, parentType: parentType ?? null });
    const batches = slices(
      contents.map(({ id }) => id),
      mostPerRestrictionRead,
    );
    const missing: string[] = [];
    await inParallel(batches, concurrentReads, async (batch) => missing.push(...(await this.readRestrictions(batch))));
    await inParallel(missing, concurrentReads, (id) => this.readRestriction(id));
  }

  /** Follows the parents up to the root, or up to a node with a known path. */
  async restrictedPath(id: string): Promise<RestrictedPath> {
    const steps: string[] = [];
    let at: string | null = id;
    let type = 'page';
    while (at !== null && !this.paths.has(at) && !steps.includes(at)) {
      steps.push(at);
      const node: TreeNode | null = this.nodes.get(at) ?? (await this.readNode(at, type));
      if (!node) return this.remember(steps, null);
      [at, type] = [node.parentId, node.parentType ?? 'page'];
    }
    if (at !== null && steps.includes(at)) return this.remember(steps, null); // a loop has no root
    return this.remember(steps, at === null ? [] : this.paths.get(at)!);
  }

  readersOf(id: string): ReaderSet | null {
    return this.restricted.get(id) ?? null;
  }

  /** Records the paths from the root down, because each path extends the one of its parent. */
  private remember(steps: readonly string[], above: RestrictedPath): RestrictedPath {
    let path = above;
    for (const id of [...steps].reverse()) {
      if (this.restricted.has(id)) path = path && this.restricted.get(id) ? [...path, id] : null;
      this.paths.set(id, path);
    }
    return path;
  }

  /** Returns the ids that the search index lacks. */
  private async readRestrictions(ids: readonly string[]): Promise<string[]> {
    const found = await this.confluence.restrictions(ids).catch((error: unknown) => {
      // a single invalid page fails the whole batch
      if (isSourceFault(error, 'refused', 'missing', 'unavailable')) return new Map<string, ReadRestriction>();
      throw error;
    });
    for (const id of ids) {
      const restriction = found.get(id);
      if (restriction) this.record(id, restriction);
    }
    return ids.filter((id) => !found.has(id));
  }

  private async readRestriction(id: string): Promise<void> {
    if (this.checked.has(id)) return;
    try {
      this.record(id, await this.confluence.restriction(id));
    } catch (error) {
      if (!isSourceFault(error, 'missing', 'forbidden', 'refused')) throw error;
      this.restricted.set(id, null);
    }
  }

  /** A page with empty lists has no restriction. */
  private record(id: string, { user, group }: ReadRestriction): void {
    this.checked.add(id);
    const accounts = user.results.map(({ accountId }) => accountId);
    const groups = group.results.map(({ id: groupId }) => groupId);
    if (accounts.length || groups.length) this.restricted.set(id, { accounts: accounts.sort(), groups: groups.sort() });
  }

  /** Reads a parent that is not in the census: a folder, or an archived page. Null: the account cannot see it. */
  private async readNode(id: string, type: string): Promise<TreeNode | null> {
    try {
      const { parentId, parentType } =
        type === 'page' ? await this.confluence.page(id) : await this.confluence.container(type, id);
      const node = { parentId: parentId ?? null, parentType: parentType ?? null };
      this.nodes.set(id, node);
      await this.readRestriction(id);
      return node;
    } catch (error) {
      if (isSourceFault(error, 'missing', 'forbidden', 'refused')) return null;
      throw error;
    }
  }
}

/** Equal restrictions give equal audiences. */
export function confluenceAudienceId(address: string, spaceId: string, path: RestrictedPath): string {
  const { host, pathname } = new URL(address);
  const space = `${host}${trimTrailing(pathname, '/')}/spaces/${spaceId}`;
  if (path === null) return `${space}/unreadable`;
  if (!path.length) return space;
  const ids = [...path].sort(compareNumericIds).join('+');
  return `${space}/restricted/${ids.length > maxPathLength ? sha256(ids).toString('base64url') : ids}`;
}
