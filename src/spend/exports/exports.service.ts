import { Injectable } from '@nestjs/common';
import { AuditService } from '../../audit/audit.service.js';
import { ConnectorRegistry } from '../../connections/connector-registry.service.js';
import { DatabaseService } from '../../platform/database/database.service.js';
import type { Statement } from '../../platform/database/statement.js';
import type { Tx } from '../../platform/database/tx.js';
import { overloaded } from '../../platform/errors/general.error.js';
import { daysOf, type DayRange, type Day } from '../../platform/time/day.js';
import type { Principal } from '../../principal/principal.js';
import { type PeopleVisibility, PeopleVisibilityService } from '../../people/people-visibility.service.js';
import { peopleNotShown } from '../reports/reports.error.js';
import { checkRange } from '../reports/reports.service.js';
import { type CsvColumn, csvHeader, csvRow } from '../../platform/http/csv.js';
import {
  chargesDateSpan,
  chargesOfDay,
  coverageDateSpan,
  coverageOfDay,
  type DateSpan,
  exportBatchSize,
  exportCursor,
  fullScanSettings,
  keepTransactionAlive,
  type PeopleExport,
  usageDateSpan,
  usageOfDay,
} from './exports.sql.js';
import { focusColumns } from './focus-columns.js';
import { coverageColumns, usageColumns } from './usage-columns.js';

/** Filter of an export. Null does not filter. */
export interface ExportQuery extends DayRange {
  /** Writes a row per person that the requester may see. All others are summed by group and cost centre. */
  showsPeople: boolean;
  connectionIds: string[] | null;
  groupIds: string[] | null;
  costCentreIds: string[] | null;
}

/** Resolves when the sink is ready for more text. */
interface TextSink {
  write(text: string): Promise<void>;
}

interface ExportFile<Row extends object> {
  name: string;
  columns: readonly CsvColumn<Row>[];
  span: DateSpan;
  /** Opens a cursor for the rows of a day. Returns the statement that fetches the next rows. */
  openDay(tx: Tx, day: Day, visibility: PeopleVisibility): Promise<Statement<[], Row>>;
}

/** Per process. Each export holds a database connection while it runs. */
const maxConcurrentExports = 4;
/** The database ends a transaction that is idle for ten seconds. */
const exportKeepAliveMs = 4000;

/** Streams exports of any size in batches. Each day is a consistent snapshot. */
@Injectable()
export class ExportsService {
  private running = 0;

  constructor(
    private readonly database: DatabaseService,
    private readonly audit: AuditService,
    private readonly peopleVisibility: PeopleVisibilityService,
    private readonly connectors: ConnectorRegistry,
  ) {}

  usage(principal: Principal, query: ExportQuery, sink: TextSink): Promise<void> {
    return this.write(principal, query, sink, {
      name: 'usage',
      columns: usageColumns,
      span: usageDateSpan,
      openDay: openPeopleDays(principal, query, usageOfDay),
    });
  }

  focus(principal: Principal, query: ExportQuery, sink: TextSink): Promise<void> {
    return this.write(principal, query, sink, {
      name: 'focus',
      columns: focusColumns((kind) => this.connectors.find(kind)?.title ?? kind),
      span: chargesDateSpan,
      openDay: openPeopleDays(principal, query, chargesOfDay),
    });
  }

  coverage(principal: Principal, query: ExportQuery, sink: TextSink): Promise<void> {
    return this.write(principal, { ...query, showsPeople: false }, sink, {
      name: 'coverage',
      columns: coverageColumns,
      span: coverageDateSpan,
      openDay: async (tx, day) => {
        const { declare, fetch } = exportCursor(coverageOfDay);
        await tx.execute(declare, [principal.tenantId, day, query.connectionIds]);
        return fetch;
      },
    });
  }

  private async write<Row extends object>(
    principal: Principal,
    query: ExportQuery,
    sink: TextSink,
    file: ExportFile<Row>,
  ): Promise<void> {
    checkRange(query);
    if (this.running >= maxConcurrentExports)
      throw overloaded('Too many exports are running. Try again in 10 seconds.', { headers: { 'Retry-After': '10' } });
    this.running += 1;
    try {
      const days = await this.start(principal, query, file);
      await sink.write(csvHeader(file.columns));
      for (const day of days)
        await this.database.tenant(principal, (tx) => this.writeDay(tx, principal, file, day, sink));
    } finally {
      this.running -= 1;
    }
  }

  /** Checks access, audits the export and returns the days with data. */
  private start<Row extends object>(
    principal: Principal,
    query: ExportQuery,
    { name, span }: ExportFile<Row>,
  ): Promise<Day[]> {
    const { tenantId } = principal;
    const { from, to, showsPeople } = query;
    return this.database.tenant(principal, async (tx) => {
      const { individuals } = await this.peopleVisibility.resolve(principal, tx);
      if (showsPeople && individuals === 'none') throw peopleNotShown('Export totals by group instead.');
      if (showsPeople) await this.peopleVisibility.recordRead(tx, principal, { report: `export of ${name}`, ...query });
      await this.audit.record(tx, principal, { kind: 'spend.exported', detail: { file: name, ...query } });
      const [available] = await tx.run(span, [tenantId, from, to]);
      return available.from === null ? [] : daysOf(available);
    });
  }

  /** Resolves visibility for each day, so that revoked access takes effect during an export. */
  private async writeDay<Row extends object>(
    tx: Tx,
    principal: Principal,
    file: ExportFile<Row>,
    day: Day,
    sink: TextSink,
  ): Promise<void> {
    const visibility = await this.peopleVisibility.resolve(principal, tx);
    await Promise.all(fullScanSettings.map((setting) => tx.execute(setting)));
    const fetch = await file.openDay(tx, day, visibility);
    for (let rows = exportBatchSize; rows === exportBatchSize;) {
      const read = await tx.run(fetch);
      rows = read.length;
      const lines = read.map((each) => csvRow(file.columns, each)).join('');
      if (lines) await withKeepAlive(sink.write(lines), () => tx.execute(keepTransactionAlive));
    }
  }
}

const openPeopleDays =
  <Row extends object>({ tenantId }: Principal, query: ExportQuery, statements: PeopleExport<Row>) =>
  async (tx: Tx, day: Day, { individuals, pseudonyms }: PeopleVisibility): Promise<Statement<[], Row>> => {
    const { declare, fetch } = exportCursor(statements[pseudonyms ? 'pseudonyms' : 'names']);
    await tx.execute(declare, [
      tenantId,
      day,
      query.connectionIds,
      query.groupIds,
      query.costCentreIds,
      query.showsPeople && individuals !== 'none',
      typeof individuals === 'string' ? null : individuals,
    ]);
    return fetch;
  };

/** Pings the transaction while the client reads. */
async function withKeepAlive(written: Promise<void>, ping: () => Promise<unknown>): Promise<void> {
  const timer = setInterval(() => void ping().catch(() => undefined), exportKeepAliveMs); // if it fails, the next statement fails too
  try {
    await written;
  } finally {
    clearInterval(timer);
  }
}
