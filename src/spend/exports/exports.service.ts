import { Injectable } from '@nestjs/common';
import { AuditService } from '../../audit/audit.service.js';
import { ConnectorRegistry } from '../../connections/connector-registry.service.js';
import { DatabaseService } from '../../platform/database/database.service.js';
import type { Tx } from '../../platform/database/tx.js';
import { overloaded } from '../../platform/errors/general.error.js';
import type { Principal } from '../../principal/principal.js';
import { type PeopleVisibility, PeopleVisibilityService } from '../people/people-visibility.service.js';
import { daysOf, type DayRange } from '../reports/day-range.js';
import { peopleNotShown } from '../reports/reports.error.js';
import { checkRange } from '../reports/reports.service.js';
import type { Day } from '../usage-row.js';
import { type CsvColumn, csvHeader, csvRow } from './csv.js';
import {
  selectChargesOfDay,
  selectCoverageOfDay,
  chargesDateSpan,
  coverageDateSpan,
  usageDateSpan,
  fullScanSettings,
  selectUsageOfDay,
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

interface ExportFile<Row> {
  name: string;
  columns: readonly CsvColumn<Row>[];
  span: string;
  statement(visibility: PeopleVisibility): string;
  values(query: ExportQuery, visibility: PeopleVisibility): unknown[];
}

/** Per process. Each export holds a database connection while it runs. */
const maxConcurrentExports = 4;
const batch = 2000;
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
      statement: ({ pseudonyms }) => selectUsageOfDay(pseudonyms),
      values: peopleValues,
    });
  }

  focus(principal: Principal, query: ExportQuery, sink: TextSink): Promise<void> {
    return this.write(principal, query, sink, {
      name: 'focus',
      columns: focusColumns((kind) => this.connectors.find(kind)?.title ?? kind),
      span: chargesDateSpan,
      statement: ({ pseudonyms }) => selectChargesOfDay(pseudonyms),
      values: peopleValues,
    });
  }

  coverage(principal: Principal, query: ExportQuery, sink: TextSink): Promise<void> {
    return this.write(principal, { ...query, showsPeople: false }, sink, {
      name: 'coverage',
      columns: coverageColumns,
      span: coverageDateSpan,
      statement: () => selectCoverageOfDay,
      values: ({ connectionIds }) => [connectionIds],
    });
  }

  private async write<Row>(
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
        await this.database.tenant(principal, (tx) => this.writeDay(tx, principal, query, file, day, sink));
    } finally {
      this.running -= 1;
    }
  }

  /** Checks access, audits the export and returns the days with data. */
  private start<Row>(principal: Principal, query: ExportQuery, { name, span }: ExportFile<Row>): Promise<Day[]> {
    const { tenantId } = principal;
    const { from, to, showsPeople } = query;
    return this.database.tenant(principal, async (tx) => {
      const { individuals } = await this.peopleVisibility.resolve(principal, tx);
      if (showsPeople && individuals === 'none') throw peopleNotShown('Export totals by group instead.');
      if (showsPeople) await this.peopleVisibility.recordRead(tx, principal, { report: `export of ${name}`, ...query });
      await this.audit.record(tx, principal, { kind: 'spend.exported', detail: { file: name, ...query } });
      const [available] = await tx.query<[DayRange | { from: null; to: null }]>(span, [tenantId, from, to]);
      return available.from === null ? [] : daysOf(available);
    });
  }

  /** Resolves visibility for each day, so that revoked access takes effect during an export. */
  private async writeDay<Row>(
    tx: Tx,
    principal: Principal,
    query: ExportQuery,
    file: ExportFile<Row>,
    day: Day,
    sink: TextSink,
  ): Promise<void> {
    const visibility = await this.peopleVisibility.resolve(principal, tx);
    const values = [principal.tenantId, day, ...file.values(query, visibility)];
    await tx.query(fullScanSettings);
    await tx.query(`declare export no scroll cursor for ${file.statement(visibility)}`, values);
    for (let rows = batch; rows === batch;) {
      const read = await tx.query<Row[]>(`fetch ${batch} from export`);
      rows = read.length;
      const lines = read.map((each) => csvRow(file.columns, each)).join('');
      if (lines) await withKeepAlive(sink.write(lines), () => tx.query('select 1'));
    }
  }
}

const peopleValues = (query: ExportQuery, { individuals }: PeopleVisibility): unknown[] => [
  query.connectionIds,
  query.groupIds,
  query.costCentreIds,
  query.showsPeople && individuals !== 'none',
  typeof individuals === 'string' ? null : individuals,
];

/** Pings the transaction while the client reads. */
async function withKeepAlive(written: Promise<void>, ping: () => Promise<unknown>): Promise<void> {
  const timer = setInterval(() => void ping().catch(() => undefined), exportKeepAliveMs); // if it fails, the next statement fails too
  try {
    await written;
  } finally {
    clearInterval(timer);
  }
}
