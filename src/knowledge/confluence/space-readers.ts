import type { ReaderSet } from '../../connections/knowledge-source.port.js';
import { isSourceFault } from '../source-kit/source-request.error.js';
import type { z } from 'zod';
import type { ConfluenceSpace, roleAssignment, spacePermission, spaceRole } from './confluence-schemas.js';

export interface SpaceReaders {
  /** `unreadable`: the account cannot read the permissions of the space. */
  readers: 'everyone' | 'unreadable' | ReaderSet;
  /** Readers must also be in each of these sets, except for pages that everyone can read. */
  required?: readonly ReaderSet[] | 'unreadable';
  /** Principals that cannot be resolved to accounts. They get no access. */
  gaps: readonly string[];
}

/** The lists of permissions that Confluence Cloud offers. */
interface PermissionLists {
  spacePermissions(spaceId: string): AsyncGenerator<z.infer<typeof spacePermission>[]>;
  roleAssignments(spaceId: string): AsyncGenerator<z.infer<typeof roleAssignment>[]>;
  spaceRoles(): AsyncGenerator<z.infer<typeof spaceRole>[]>;
  isAnonymous(spaceKey: string): Promise<boolean>;
}

/** Resolves who may view a space. Of the permissions that Confluence lists, only `read` of `space` counts. */
export class SpacePermissions {
  private readingRoles?: Promise<Set<string>>;

  constructor(private readonly confluence: PermissionLists) {}

  async readersOf({ id, key }: ConfluenceSpace): Promise<SpaceReaders> {
    const accounts = new Set<string>();
    const groups = new Set<string>();
    const gaps = new Set<string>();
    try {
      for await (const page of this.confluence.spacePermissions(id))
        for (const { principal, operation } of page) {
          if (operation.key !== 'read' || operation.targetType !== 'space') continue;
          if (principal.type === 'user') accounts.add(principal.id);
          else if (principal.type === 'group') groups.add(principal.id);
        }
      for (const { principalType, principalId } of await this.readingAssignments(id))
        if (principalType === 'USER') accounts.add(principalId);
        else if (principalType === 'GROUP') groups.add(principalId);
        else if (principalId === 'anonymous-users') return { readers: 'everyone', gaps: [] };
        else gaps.add(accessClasses[principalId] ?? 'people of an access class');
      if (await this.isAnonymous(key)) return { readers: 'everyone', gaps: [] };
    } catch (error) {
      if (isSourceFault(error, 'forbidden', 'missing', 'refused')) return { readers: 'unreadable', gaps: [] };
      throw error;
    }
    return { readers: { accounts: [...accounts].sort(), groups: [...groups].sort() }, gaps: [...gaps].sort() };
  }

  /** On sites with roles: the principals of roles that may view the space. */
  private async readingAssignments(spaceId: string) {
    const found = [];
    try {
      for await (const page of this.confluence.roleAssignments(spaceId)) found.push(...page);
      if (!found.length) return [];
      const roles = await (this.readingRoles ??= this.rolesThatRead());
      return found.filter(({ roleId }) => roles.has(roleId)).map(({ principal }) => principal);
    } catch (error) {
      // a site without roles, or with roles that the account cannot read: roles give no access
      if (isSourceFault(error, 'missing', 'refused', 'forbidden')) return [];
      throw error;
    }
  }

  private async rolesThatRead(): Promise<Set<string>> {
    const roles = new Set<string>();
    for await (const page of this.confluence.spaceRoles())
      for (const { id, spacePermissions } of page) if (spacePermissions.includes('read/space')) roles.add(id);
    return roles;
  }

  private async isAnonymous(spaceKey: string): Promise<boolean> {
    return this.confluence.isAnonymous(spaceKey).catch((error: unknown) => {
      // anonymous access that cannot be read gives no access
      if (isSourceFault(error, 'missing', 'refused', 'forbidden')) return false;
      throw error;
    });
  }
}

const accessClasses: Record<string, string> = {
  'authenticated-users': 'all signed-in users',
  'all-licensed-users': 'all licensed users',
  'all-product-admins': 'product administrators',
  'jsm-project-admins': 'administrators of service projects',
};
