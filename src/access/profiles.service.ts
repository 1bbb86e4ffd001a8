import { Injectable } from '@nestjs/common';
import { Database } from '../platform/database/database.service.js';
import { Gather } from '../platform/database/gather.js';
import { notFound } from '../platform/errors/general.error.js';
import type { Principal } from '../principal/principal.js';
import { type ProfileRow, profiles } from './profiles.system.sql.js';

export interface Profile {
  member: { id: string; name: string; email: string };
  organization: { id: string; name: string; slug: string };
}
interface Asked {
  /** Never set: one statement serves people of several organizations, each named with its own. */
  tenantId?: never;
  of: string;
  id: string;
}

/** Who somebody is, for the many requests that ask nothing else. */
@Injectable()
export class ProfilesService {
  private readonly asking = new Gather<Asked, ProfileRow | null>(async (_, asked) => {
    const values = [asked.map(({ of }) => of), asked.map(({ id }) => id)];
    const { rows } = await this.database.systemPool.query<ProfileRow>({ ...profiles, values });
    const found = new Map(rows.map((row) => [`${row.tenantId} ${row.id}`, row]));
    return asked.map(({ of, id }) => found.get(`${of} ${id}`) ?? null);
  });

  constructor(private readonly database: Database) {}

  async get({ tenantId, memberId }: Principal): Promise<Profile> {
    const row = memberId && (await this.asking.ask({ of: tenantId, id: memberId }));
    if (!row) throw notFound('There is no such member.');
    const { id, name, email, organizationName, organizationSlug } = row;
    return {
      member: { id, name, email },
      organization: { id: tenantId, name: organizationName, slug: organizationSlug },
    };
  }
}
