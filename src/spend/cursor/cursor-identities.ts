import type { VendorIdentity } from '../usage-row.js';
import { unattributedIdentity } from '../vendor-identity.js';
import type { RowFields } from './row-fields.js';

/** Whom a row of Cursor's is about, by its address, else by its id. What names nobody counts for nobody. */
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

/** Daily usage still has numbers where everything else has "user_…"; next to an address they say nothing. */
const stableId = (id: string | null) => (id === null || /^\d+$/.test(id) ? undefined : id);

/** An agent that works for nobody in particular. The address beside it is the agent's own, or of somebody who set it up. */
export function serviceAccountOf(fields: RowFields): VendorIdentity | null {
  const id = fields.id('serviceAccountId');
  if (id === null) return null;
  const email = fields.address('userEmail') ?? undefined;
  return { kind: 'service_account', key: id, email, name: fields.text('serviceAccountName', 200) ?? undefined };
}
