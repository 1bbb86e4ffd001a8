import { Injectable } from '@nestjs/common';
import { DatabaseService } from '../platform/database/database.service.js';
import { Batcher } from '../platform/database/batcher.js';
import { notFound } from '../platform/errors/general.error.js';
import type { Principal } from '../principal/principal.js';
import { type ProfileRow, profiles } from './profiles.system.sql.js';

export interface MemberProfile {
  member: { id: string; name: string; email: string };
  organization: { id: string; name: string; slug: string };
}
interface ProfileKey {
  /** Never set: one statement serves members of several organizations, so each key names its own. */
  tenantId?: never;
  memberTenantId: string;
  id: string;
}

/** Batches the lookup of name, address and organization for frequent profile requests. */
@Injectable()
export class ProfilesService {
  private readonly profileBatcher = new Batcher<ProfileKey, ProfileRow | null>(async (_, keys) => {
    const rows = await this.database.systemPool.run(profiles, [
      keys.map(({ memberTenantId }) => memberTenantId),
      keys.map(({ id }) => id),
    ]);
    const byKey = new Map(rows.map((row) => [`${row.tenantId} ${row.id}`, row]));
    return keys.map(({ memberTenantId, id }) => byKey.get(`${memberTenantId} ${id}`) ?? null);
  });

  constructor(private readonly database: DatabaseService) {}

  async get({ tenantId, memberId }: Principal): Promise<MemberProfile> {
    const row = memberId && (await this.profileBatcher.submit({ memberTenantId: tenantId, id: memberId }));
    if (!row) throw notFound('There is no such member.');
    const { id, name, email, organizationName, organizationSlug } = row;
    return {
      member: { id, name, email },
      organization: { id: tenantId, name: organizationName, slug: organizationSlug },
    };
  }
}
