import { Injectable } from '@nestjs/common';
import { AuditService } from '../../../audit/audit.service.js';
import { DatabaseService } from '../../../platform/database/database.service.js';
import type { Principal } from '../../../principal/principal.js';
import { type CsvColumn, csvHeader, csvRow } from '../../exports/csv.js';
import { MemberPeopleSyncService } from '../member-people-sync.service.js';

interface ExportedPerson {
  email: string;
  name: string;
  group: string | null;
  costCentre: string | null;
  aliases: string | null;
}

const batch = 2000;

/** Exports people in the format of the import, so that the file can be edited and imported again. */
@Injectable()
export class PeopleExportService {
  constructor(
    private readonly database: DatabaseService,
    private readonly audit: AuditService,
    private readonly memberPeopleSync: MemberPeopleSyncService,
  ) {}

  async write(principal: Principal, sink: { write(text: string): Promise<void> }): Promise<void> {
    await this.database.tenant(principal, async (tx) => {
      await this.memberPeopleSync.sync(tx, principal);
      await this.audit.record(tx, principal, { kind: 'spend_list.exported' });
    });
    await sink.write(csvHeader(columns));
    for (let after = '', rows = batch; rows === batch;) {
      const people = await this.database.tenant(principal, (tx) =>
        tx.query<ExportedPerson[]>(selectExportedPeople, [principal.tenantId, after, batch]),
      );
      if (people.length) await sink.write(people.map((person) => csvRow(columns, person)).join(''));
      rows = people.length;
      after = people.at(-1)?.email ?? '';
    }
  }
}

const columns: readonly CsvColumn<ExportedPerson>[] = [
  { name: 'email', text: ({ email }) => email },
  { name: 'name', text: ({ name }) => name },
  { name: 'group', text: ({ group }) => group },
  { name: 'cost_centre', text: ({ costCentre }) => costCentre },
  { name: 'aliases', text: ({ aliases }) => aliases },
];

/** $1 tenant, $2 last email address of the previous batch, $3 limit */
const selectExportedPeople = `
  select p.email, p.name, g.name as group, c.name as "costCentre",
         (select string_agg(a.key, ' ' order by a.key) from spend_aliases a
          where a.tenant_id = $1 and a.person_id = p.id and a.kind = 'email' and a.key <> p.email) as aliases
  from spend_people p
  left join spend_units g on g.tenant_id = $1 and g.id = p.group_id
  left join spend_units c on c.tenant_id = $1 and c.id = p.cost_centre_id
  where p.tenant_id = $1 and p.email > $2 and p.removed_at is null
  order by p.email limit $3`;
