import type { VendorSync, VendorMember } from '../vendor.js';
import { unattributedIdentity, identityKey } from '../vendor-identity.js';
import type { CursorApi } from './cursor-api.js';
import { cursorIdentityOf } from './cursor-identities.js';
import { cursorEndpoints } from './endpoints.js';
import { isPlainObject } from './parse-response.js';
import { cursorError } from './cursor-errors.js';
import { RowFields } from './row-fields.js';

/** Who has a seat. People who were removed may be marked, or just be missing. */
export async function teamMembers(api: CursorApi, sync: VendorSync): Promise<VendorMember[]> {
  const { teamMembers: rows } = await api.request(sync, cursorEndpoints.members, {});
  if (!Array.isArray(rows))
    throw cursorError('unexpected_answer', cursorEndpoints.members, 'it has no list "teamMembers"');
  const members = new Map<string, VendorMember>();
  for (const row of rows) {
    const member = isPlainObject(row) ? memberOf(new RowFields(row)) : null;
    if (!member) continue;
    const key = identityKey(member.identity);
    if (members.get(key)?.isRemoved !== false) members.set(key, member); // removed and invited again: there
  }
  if (rows.length && !members.size)
    throw cursorError('unexpected_answer', cursorEndpoints.members, 'no row names anybody');
  return [...members.values()];
}

function memberOf(fields: RowFields): VendorMember | null {
  const identity = cursorIdentityOf(fields, { email: 'email', id: 'id', name: 'name' });
  if (identity === unattributedIdentity) return null;
  return { identity, role: fields.text('role') ?? undefined, isRemoved: fields.flag('isRemoved') ?? false };
}
