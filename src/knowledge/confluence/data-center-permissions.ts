import type { ReaderSet } from '../../connections/knowledge-source.port.js';
import type { SourceClient } from '../source-kit/source-client.js';
import { SourcePaused } from '../../connections/connections.error.js';
import { isSourceFault } from '../source-kit/source-request.error.js';
import { permissionList, permissionSets } from './data-center-schemas.js';
import { confluenceSpace, type ConfluenceSpace } from './confluence-schemas.js';
import type { SpaceReaders } from './space-readers.js';

interface PermissionSources {
  rest: SourceClient;
  /** Sends no credential. */
  anonymous: SourceClient;
  /** The groups that can use Confluence, for versions that do not return them. */
  groupsWithAccess: readonly string[];
  keyOf(username: string): Promise<string | null>;
}

const refusals = ['unauthorized', 'forbidden', 'missing', 'refused', 'unreadable'] as const;
const unreadable: SpaceReaders = { readers: 'unreadable', gaps: [] };

/**
 * Resolves who may view a space of Confluence Data Center: accounts with the permission to view it that can also use
 * Confluence. From version 9.1 by the REST API, before by the JSON-RPC API.
 */
export class DataCenterPermissions {
  private users?: Promise<ReaderSet | null>;
  /** Rate limits can exclude anonymous visitors. */
  private isAnonymousLimited = false;

  constructor(private readonly sources: PermissionSources) {}

  async readersOf(space: ConfluenceSpace): Promise<SpaceReaders> {
    const isAnonymous = await this.isAnonymous(space);
    const readers = isAnonymous ? 'everyone' : await this.viewers(space);
    const users = await this.confluenceUsers();
    if (isAnonymous && !users) return { readers: 'everyone', required: 'unreadable', gaps: [] };
    return readers && users ? { readers, required: [users], gaps: [] } : unreadable;
  }

  /** Null: the permissions can be read. */
  async problemOf(space: ConfluenceSpace): Promise<string | null> {
    if (!(await this.viewers(space)))
      return `The account cannot read the permissions of the space ${space.key}, so no one can find its pages. Give it the global permission “Confluence Administrator”.`;
    if (await this.confluenceUsers()) return null;
    return 'The account cannot read who can use Confluence, so no one can find the pages. Give it the global permission “Confluence Administrator”, or before Confluence 9.1 enter the groups that can use Confluence.';
  }

  /** Whether an anonymous visitor really sees the space, which also requires the global permission. */
  private async isAnonymous({ id, key }: ConfluenceSpace): Promise<boolean> {
    if (this.isAnonymousLimited) return false;
    try {
      const path = `/rest/api/space/${encodeURIComponent(key)}`;
      return (await this.sources.anonymous.get(path, confluenceSpace)).id === id;
    } catch (error) {
      this.isAnonymousLimited = error instanceof SourcePaused;
      if (this.isAnonymousLimited || isSourceFault(error, ...refusals)) return false;
      throw error;
    }
  }

  /** Null: the account cannot read the permissions. */
  private async viewers({ key }: ConfluenceSpace): Promise<ReaderSet | null> {
    try {
      return holdersOf(
        await this.permissions(`/rest/api/space/${encodeURIComponent(key)}/permissions`),
        'space',
        'read',
      );
    } catch (error) {
      if (isSourceFault(error, 'missing')) return this.viewersBefore91(key);
      if (isSourceFault(error, 'forbidden', 'refused')) return null;
      throw error;
    }
  }

  private async viewersBefore91(key: string): Promise<ReaderSet | null> {
    const body = { jsonrpc: '2.0', method: 'getSpacePermissionSets', params: [key], id: 1 };
    const path = '/rpc/json-rpc/confluenceservice-v2';
    const request = { method: 'POST', path, body, isRead: true, schema: permissionSets } as const;
    const answer = await this.sources.rest.request(request).catch((error: unknown) => {
      // 401: the remote API is disabled. An error has status 200 and no result.
      if (isSourceFault(error, ...refusals)) return null;
      throw error;
    });
    if (!answer) return null;
    const views = answer.body.result.filter(({ type }) => type === 'VIEWSPACE');
    const accounts = new Set<string>();
    const groups = new Set<string>();
    for (const { userName, groupName } of views.flatMap(({ spacePermissions }) => spacePermissions)) {
      if (groupName) groups.add(groupName);
      const account = userName ? await this.sources.keyOf(userName) : null;
      if (account) accounts.add(account);
    }
    return { accounts: [...accounts].sort(), groups: [...groups].sort() };
  }

  /** The accounts with the global permission to use Confluence. Null: the account cannot read them. */
  private confluenceUsers(): Promise<ReaderSet | null> {
    return (this.users ??= this.permissions('/rest/api/permissions')
      .then((list) => holdersOf(list, 'application', 'use'))
      .catch((error: unknown) => {
        if (!isSourceFault(error, 'missing', 'forbidden', 'refused', 'unreadable')) throw error;
        const { groupsWithAccess } = this.sources;
        return groupsWithAccess.length ? { groups: [...groupsWithAccess] } : null;
      }));
  }

  private permissions(path: string) {
    return this.sources.rest.get(path, permissionList);
  }
}

type Permissions = Awaited<ReturnType<DataCenterPermissions['permissions']>>;

function holdersOf(permissions: Permissions, targetType: string, operationKey: string): ReaderSet {
  const accounts = new Set<string>();
  const groups = new Set<string>();
  for (const { operation, subject } of permissions) {
    if (operation.targetType !== targetType || operation.operationKey !== operationKey) continue;
    if (subject?.type === 'user' && subject.userKey) accounts.add(subject.userKey);
    else if (subject?.type === 'group' && subject.name) groups.add(subject.name);
  }
  return { accounts: [...accounts].sort(), groups: [...groups].sort() };
}
