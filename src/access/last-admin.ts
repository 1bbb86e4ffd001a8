import { IsNull, Not } from 'typeorm';
import type { Tx } from '../platform/database/tx.js';
import { lastAdmin } from './access.error.js';
import { Member } from './member.entity.js';
import { lockTenant } from './tenants.sql.js';

/** The lock on the tenant serializes two administrators who remove each other. */
export async function requireAnotherAdmin(tx: Tx, { tenantId }: { tenantId: string }, member: Member): Promise<void> {
  if (!member.roles.includes('admin') || member.status !== 'active') return;
  await tx.execute(lockTenant, [tenantId]);
  const others = { tenantId, id: Not(member.id), status: 'active', adminSince: Not(IsNull()) } as const;
  if (!(await tx.existsBy(Member, others))) throw lastAdmin(`${member.name} is the last active administrator.`);
}
