import type { Pull, VendorMember } from '../vendor.js';
import { nobody, sameIdentity } from '../vendor-identity.js';
import type { CursorApi } from './cursor-api.js';
import { identityOf } from './cursor-identities.js';
import { endpoints } from './endpoints.js';
import { isObject } from './parse-answer.js';
import { trouble } from './refusals.js';
import { RowFields } from './row-fields.js';

/** Who has a seat. People who were removed may be marked, or just be missing. */
export async function teamMembers(api: CursorApi, pull: Pull): Promise<VendorMember[]> {
  const { teamMembers: rows } = await api.ask(pull, endpoints.members, {});
  if (!Array.isArray(rows)) throw trouble('unexpected_answer', endpoints.members, 'it has no list "teamMembers"');
  const members = new Map<string, VendorMember>();
  for (const row of rows) {
    const member = isObject(row) ? memberOf(new RowFields(row)) : null;
    if (!member) continue;
    const key = sameIdentity(member.identity);
    if (members.get(key)?.isRemoved !== false) members.set(key, member); // removed and invited again: there
  }
  if (rows.length && !members.size) throw trouble('unexpected_answer', endpoints.members, 'no row names anybody');
  return [...members.values()];
}

function memberOf(fields: RowFields): VendorMember | null {
  const identity = identityOf(fields, { email: 'email', id: 'id', name: 'name' });
  if (identity === nobody) return null;
  return { identity, role: fields.text('role') ?? undefined, isRemoved: fields.flag('isRemoved') ?? false };
}
