import type { VendorSync, VendorMember } from '../vendor.js';
import { unattributedIdentity, identityKey } from '../../people/vendor-identity.port.js';
import type { CursorApi } from './cursor-api.js';
import { cursorIdentityOf } from './cursor-identities.js';
import { cursorEndpoints } from './endpoints.js';
import { isPlainObject } from './parse-response.js';
import { cursorError } from './cursor-errors.js';
import { RowFields } from './row-fields.js';

/** Members with a seat. Removed members are either marked or missing. */
export async function teamMembers(api: CursorApi, sync: VendorSync): Promise<VendorMember[]> {
  const { teamMembers: rows } = await api.request(sync, cursorEndpoints.members, {});
  if (!Array.isArray(rows))
    throw cursorError('unexpected_answer', cursorEndpoints.members, 'the list "teamMembers" is missing');
  const members = new Map<string, VendorMember>();
  for (const row of rows) {
    const member = isPlainObject(row) ? memberOf(new RowFields(row)) : null;
    if (!member) continue;
    const key = identityKey(member.identity);
    if (members.get(key)?.isRemoved !== false) members.set(key, member); // a member who was removed and invited again is present
  }
  if (rows.length && !members.size)
    throw cursorError('unexpected_answer', cursorEndpoints.members, 'no row identifies a user');
  return [...members.values()];
}

function memberOf(fields: RowFields): VendorMember | null {
  const identity = cursorIdentityOf(fields, { email: 'email', id: 'id', name: 'name' });
  if (identity === unattributedIdentity) return null;
  return { identity, role: fields.text('role') ?? undefined, isRemoved: fields.flag('isRemoved') ?? false };
}
