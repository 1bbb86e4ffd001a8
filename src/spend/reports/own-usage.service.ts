import { Injectable } from '@nestjs/common';
import type { PageInfo } from '../../platform/graphql/connection.js';
import { Database } from '../../platform/database/database.service.js';
import type { Principal } from '../../principal/principal.js';
import { plainIds } from '../people/shown-ids.js';
import type { Per, Range } from './calendar.js';
import type { ReportQuestion } from './question.js';
import { ReportReader } from './report-reader.service.js';
import { checkRange } from './reports.service.js';
import type { SpendFigures, SpendReportDays } from './spend-report.entity.js';

/** What somebody used themselves. */
export interface OwnUsageReport extends SpendReportDays {
  periods: (Range & SpendFigures)[];
  pageInfo: PageInfo;
  total: SpendFigures;
}

/** One's own usage, which everybody may see. */
@Injectable()
export class OwnUsage {
  constructor(
    private readonly database: Database,
    private readonly reader: ReportReader,
  ) {}

  of(
    principal: Principal,
    { from, to, per }: Range & { per: Per },
    paging: { first: number; after?: string },
  ): Promise<OwnUsageReport> {
    checkRange({ from, to });
    const { tenantId, memberId = null } = principal;
    return this.database.tenant(principal, async (tx) => {
      const own = await tx.query<{ id: string }[]>(ownPerson, [tenantId, memberId]);
      const where = { personIds: own.map(({ id }) => id) };
      const question: ReportQuestion = {
        tenantId,
        from,
        to,
        per,
        by: 'nothing',
        orderBy: 'charged_cents',
        isOfModels: false,
        where,
      };
      const { nodes, pageInfo } = await this.reader.page(tx, question, paging, plainIds);
      const total = await this.reader.total(tx, question);
      return { periods: nodes, pageInfo, total, ...(await this.reader.days(tx, question)) };
    });
  }
}

/** $1 tenant, $2 member */
const ownPerson = 'select id from spend_people where tenant_id = $1 and member_id = $2';
