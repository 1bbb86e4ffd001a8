import { sha256 } from '../../platform/crypto/digest.js';
import type { ReaderSet } from '../../connections/knowledge-source.port.js';
import { isSourceFault } from '../source-kit/source-request.error.js';
import { type ConfluenceClient, mostPerRestrictionRead } from './confluence-client.js';
import { compareNumericIds } from '../atlassian/numeric-ids.js';
import type { ConfluenceContent, ReadRestriction } from './confluence-schemas.js';

const concurrentReads = 4;
const maxPathLength = 200;

interface TreeNode {
  parentId: string | null;
  parentType: string | null;
}

/** Pages and folders between a page and the root of its space that restrict who may read; null: not readable. */
export type RestrictedPath = readonly string[] | null;

/**
 * The page tree of a space with its restrictions. A page is read by those who may read the space, and are named by
 * every restricted page on the path to the root.
 */
export class SpaceTree {
  private readonly nodes = new Map<string, TreeNode>();
  /** Of restricted nodes only; null: the account may not read the restriction. */
  private readonly restricted = new Map<string, ReaderSet | null>();
  private readonly paths = new Map<string, RestrictedPath>();
  private readonly checked = new Set<string>();

  constructor(private readonly confluence: ConfluenceClient) {}

  /** Reads the restrictions of these pages and blog posts. */
  async add(contents: readonly ConfluenceContent[]): Promise<void> {
    for (const { id, parentId, parentType } of contents)
      this.nodes.set(id, { parentId: parentId ?? null, parentType: parentType ?? null });
    const ids = contents.map(({ id }) => id);
    const batches: string[][] = [];
    for (let at = 0; at < ids.length; at += mostPerRestrictionRead)
      batches.push(ids.slice(at, at + mostPerRestrictionRead));
    await Promise.all(
      Array.from({ length: concurrentReads }, async () => {
        for (let batch = batches.shift(); batch; batch = batches.shift()) await this.readRestrictions(batch);
      }),
    );
  }

  /** Walks each path once. */
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

  /** From the root down, so that each step knows the path above it. */
  private remember(steps: readonly string[], above: RestrictedPath): RestrictedPath {
    let path = above;
    for (const id of [...steps].reverse()) {
      if (this.restricted.has(id)) path = path && this.restricted.get(id) ? [...path, id] : null;
      this.paths.set(id, path);
    }
    return path;
  }

  private async readRestrictions(ids: readonly string[]): Promise<void> {
    const found = await this.confluence.restrictions(ids).catch((error: unknown) => {
      // one odd page fails the whole batch
      if (isSourceFault(error, 'refused', 'missing', 'unavailable')) return new Map<string, ReadRestriction>();
      throw error;
    });
    for (const id of ids) {
      const restriction = found.get(id);
      if (restriction) this.record(id, restriction);
      else await this.readRestriction(id); // the search lags, or left it out
    }
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

  /** Empty lists restrict nothing. */
  private record(id: string, { user, group }: ReadRestriction): void {
    this.checked.add(id);
    const accounts = user.results.map(({ accountId }) => accountId);
    const groups = group.results.map(({ id: groupId }) => groupId);
    if (accounts.length || groups.length) this.restricted.set(id, { accounts: accounts.sort(), groups: groups.sort() });
  }

  /** A parent that the census does not list: a folder, or an archived page. Null: the account may not see it. */
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
export function confluenceAudienceId(site: string, spaceId: string, path: RestrictedPath): string {
  const space = `${new URL(site).host}/wiki/spaces/${spaceId}`;
  if (path === null) return `${space}/unreadable`;
  if (!path.length) return space;
  const ids = [...path].sort(compareNumericIds).join('+');
  return `${space}/restricted/${ids.length > maxPathLength ? sha256(ids).toString('base64url') : ids}`;
}
