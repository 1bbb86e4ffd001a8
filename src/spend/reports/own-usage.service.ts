import { Injectable } from '@nestjs/common';
import type { PageInfo } from '../../platform/graphql/connection.js';
import { DatabaseService } from '../../platform/database/database.service.js';
import type { DayRange } from '../../platform/time/day.js';
import type { Principal } from '../../principal/principal.js';
import { SpendPerson } from '../../people/person.entity.js';
import type { ReportPeriod } from './day-range.js';
import type { ReportQuery } from './report-selection.js';
import { ReportQueryService } from './report-query.service.js';
import { checkRange } from './reports.service.js';
import type { SpendFigures, SpendReportDays } from './spend-report.entity.js';

/** A user's own usage. */
export interface OwnUsageReport extends SpendReportDays {
  periods: (DayRange & SpendFigures)[];
  pageInfo: PageInfo;
  total: SpendFigures;
}

/** Every user may see their own usage. */
@Injectable()
export class OwnUsageService {
  constructor(
    private readonly database: DatabaseService,
    private readonly queries: ReportQueryService,
  ) {}

  report(
    principal: Principal,
    { from, to, per }: DayRange & { per: ReportPeriod },
    paging: { first: number; after?: string },
  ): Promise<OwnUsageReport> {
    checkRange({ from, to });
    const { tenantId, memberId } = principal;
    return this.database.tenant(principal, async (tx) => {
      const own = memberId ? await tx.find(SpendPerson, { select: { id: true }, where: { tenantId, memberId } }) : [];
      const where = { personIds: own.map(({ id }) => id) };
      const query: ReportQuery = {
        tenantId,
        from,
        to,
        per,
        by: 'nothing',
        orderBy: 'charged_cents',
        isOfModels: false,
        pseudonyms: false,
        where,
      };
      const { nodes, pageInfo } = await this.queries.page(tx, query, paging);
      const total = await this.queries.total(tx, query);
      return { periods: nodes, pageInfo, total, ...(await this.queries.days(tx, query)) };
    });
  }
}
