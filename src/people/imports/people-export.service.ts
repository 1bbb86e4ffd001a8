import { Injectable } from '@nestjs/common';
import { AuditService } from '../../audit/audit.service.js';
import { DatabaseService } from '../../platform/database/database.service.js';
import type { Principal } from '../../principal/principal.js';
import { type CsvColumn, csvHeader, csvRow } from '../../platform/http/csv.js';
import { MemberPeopleSyncService } from '../member-people-sync.service.js';
import { type ExportedPerson, selectExportedPeople } from './people-import.sql.js';

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
        tx.run(selectExportedPeople, [principal.tenantId, after, batch]),
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
