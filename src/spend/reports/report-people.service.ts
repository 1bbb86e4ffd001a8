import { Injectable } from '@nestjs/common';
import { DatabaseService } from '../../platform/database/database.service.js';
import type { Principal } from '../../principal/principal.js';
import { PeopleVisibilityService } from '../../people/people-visibility.service.js';
import type { ReportPeopleArgs } from './report-people.input.js';
import { selectReportPeople } from './report-people.sql.js';
import type { SpendReportPerson } from './report-person.entity.js';

/** People to filter reports by. */
@Injectable()
export class ReportPeopleService {
  constructor(
    private readonly database: DatabaseService,
    private readonly peopleVisibility: PeopleVisibilityService,
  ) {}

  /** Only people whose usage the principal may see, with the names and ids that reports show. */
  list(principal: Principal, { search, personIds, first }: ReportPeopleArgs): Promise<SpendReportPerson[]> {
    return this.database.tenant(principal, async (tx) => {
      const { individuals, pseudonyms } = await this.peopleVisibility.resolve(principal, tx);
      if (individuals === 'none') return [];
      return tx.run(selectReportPeople, [
        principal.tenantId,
        individuals === 'all' ? null : individuals,
        pseudonyms,
        search?.trim() || null,
        personIds ?? null,
        first,
      ]);
    });
  }
}
