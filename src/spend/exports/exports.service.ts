import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditService } from '../../audit/audit.service.js';
import { ConnectionKinds } from '../../connections/connection-kinds.service.js';
import { Database } from '../../platform/database/database.service.js';
import { overloaded } from '../../platform/errors/general.error.js';
import type { Principal } from '../../principal/principal.js';
import { type Seen, Sight } from '../people/sight.service.js';
import { daysOf, type Range } from '../reports/calendar.js';
import { peopleNotShown } from '../reports/reports.error.js';
import { checkRange } from '../reports/reports.service.js';
import { type Column, header, row } from './csv.js';
import {
  chargesOfDay,
  coverageOfDay,
  spanOfCharges,
  spanOfCoverage,
  spanOfUsage,
  toTheEnd,
  usageOfDay,
} from './exports.sql.js';
import { type ChargesOfDay, focusColumns } from './focus-columns.js';
import { coverageColumns, usageColumns } from './usage-columns.js';

/** What of the usage is asked for. Whatever is null is not narrowed. */
export interface ExportQuestion extends Range {
  /** People one by one, as far as the asker may see them; everybody else, or else everybody, as sums of group and cost centre. */
  showsPeople: boolean;
  connectionIds: string[] | null;
  groupIds: string[] | null;
  costCentreIds: string[] | null;
}

/** Takes text, and comes back when it wants more. */
interface Sink {
  write(text: string): Promise<void>;
}

interface File<Row> {
  name: string;
  columns: readonly Column<Row>[];
  span: string;
  statement: string;
  values: readonly unknown[];
}

/** In one process; each holds a connection to the database while it runs. */
const most = 4;
const batch = 2000;
/** A transaction in which nothing happens for ten seconds is ended by the database. */
const aliveMs = 4000;

/** Usage as files, of any size: read and written a piece at a time, each day as it stands in one moment. */
@Injectable()
export class Exports {
  private running = 0;

  constructor(
    private readonly database: Database,
    private readonly audit: AuditService,
    private readonly sight: Sight,
    private readonly kinds: ConnectionKinds,
  ) {}

  usage(principal: Principal, question: ExportQuestion, sink: Sink): Promise<void> {
    return this.send(principal, question, sink, (seen) => ({
      name: 'usage',
      columns: usageColumns,
      span: spanOfUsage,
      statement: usageOfDay(seen.pseudonyms),
      values: narrowed(question, seen),
    }));
  }

  focus(principal: Principal, question: ExportQuestion, sink: Sink): Promise<void> {
    const named = focusColumns.map(({ name, text, number }) => ({
      name,
      text: text && ((charges: ChargesOfDay) => text({ ...charges, vendorName: this.vendorName(charges.vendor) })),
      number: number && ((charges: ChargesOfDay) => number({ ...charges, vendorName: '' })),
    }));
    return this.send(principal, question, sink, (seen) => ({
      name: 'focus',
      columns: named,
      span: spanOfCharges,
      statement: chargesOfDay(seen.pseudonyms),
      values: narrowed(question, seen),
    }));
  }

  coverage(principal: Principal, question: ExportQuestion, sink: Sink): Promise<void> {
    return this.send(principal, { ...question, showsPeople: false }, sink, () => ({
      name: 'coverage',
      columns: coverageColumns,
      span: spanOfCoverage,
      statement: coverageOfDay,
      values: [question.connectionIds],
    }));
  }

  private async send<Row>(
    principal: Principal,
    question: ExportQuestion,
    sink: Sink,
    fileFor: (seen: Seen) => File<Row>,
  ): Promise<void> {
    checkRange(question);
    if (this.running >= most)
      throw overloaded('Other exports are being written.', { headers: { 'Retry-After': '10' } });
    this.running += 1;
    try {
      const { file, days } = await this.begin(principal, question, fileFor);
      await sink.write(header(file.columns));
      for (const day of days)
        await this.database.tenant(principal, (tx) => this.sendDay(tx, principal, file, day, sink));
    } finally {
      this.running -= 1;
    }
  }

  /** Whether it may be, and for the record that it was. */
  private begin<Row>(principal: Principal, question: ExportQuestion, fileFor: (seen: Seen) => File<Row>) {
    const { from, to, showsPeople } = question;
    return this.database.tenant(principal, async (tx) => {
      const seen = await this.sight.of(principal, tx);
      if (showsPeople && seen.individuals === 'none') throw peopleNotShown('Ask for the sums of groups.');
      const file = fileFor(seen);
      const detail = { file: file.name, ...question };
      if (showsPeople) await this.sight.recordRead(tx, principal, { report: `export of ${file.name}`, ...question });
      await this.audit.record(tx, principal, { kind: 'spend.exported', detail });
      const [span] = await tx.query<[{ from: string | null; to: string | null }]>(file.span, [
        principal.tenantId,
        from,
        to,
      ]);
      return { file, days: span.from && span.to ? daysOf(span as Range) : [] };
    });
  }

  private async sendDay<Row>(tx: EntityManager, { tenantId }: Principal, file: File<Row>, day: string, sink: Sink) {
    await tx.query(toTheEnd);
    await tx.query(`declare export no scroll cursor for ${file.statement}`, [tenantId, day, ...file.values]);
    for (let rows = batch; rows === batch;) {
      const read = await tx.query<Row[]>(`fetch ${batch} from export`);
      rows = read.length;
      const lines = read.map((each) => row(file.columns, each)).join('');
      if (lines) await meanwhile(sink.write(lines), () => tx.query('select 1'));
    }
  }

  private vendorName(kind: string): string {
    return this.kinds.find(kind)?.title ?? kind;
  }
}

const narrowed = (question: ExportQuestion, { individuals }: Seen): unknown[] => [
  question.connectionIds,
  question.groupIds,
  question.costCentreIds,
  question.showsPeople,
  Array.isArray(individuals) ? individuals : null,
];

/** Gives signs of life as long as it takes. */
async function meanwhile(done: Promise<void>, sign: () => Promise<unknown>): Promise<void> {
  const timer = setInterval(() => void sign().catch(() => undefined), aliveMs); // broken: the next statement says so
  try {
    await done;
  } finally {
    clearInterval(timer);
  }
}
