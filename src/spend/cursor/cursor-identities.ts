import { type VendorIdentity, unattributedIdentity } from '../../people/vendor-identity.port.js';
import type { RowFields } from './row-fields.js';

/** Identifies the user of a row by email address, else by id. Rows with neither are unattributed. */
export function cursorIdentityOf(
  fields: RowFields,
  names: { email: string; id: string; name?: string },
): VendorIdentity {
  const email = fields.address(names.email);
  const id = fields.id(names.id);
  const name = (names.name && fields.text(names.name, 200)) || undefined;
  if (email !== null) return { kind: 'email', key: email, email, vendorUserId: stableId(id), name };
  return id === null ? unattributedIdentity : { kind: 'vendor_user_id', key: id, vendorUserId: id, name };
}

/** Daily usage still has numeric ids where other APIs use "user_…". Next to an email address they are useless. */
const stableId = (id: string | null) => (id === null || /^\d+$/.test(id) ? undefined : id);

/** A service account. The email address in its row is its own, or that of the person who created it. */
export function serviceAccountOf(fields: RowFields): VendorIdentity | null {
  const id = fields.id('serviceAccountId');
  if (id === null) return null;
  const email = fields.address('userEmail') ?? undefined;
  return { kind: 'service_account', key: id, email, name: fields.text('serviceAccountName', 200) ?? undefined };
}
