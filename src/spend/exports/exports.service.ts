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
import type { Day } from '../usage-row.js';
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
import { focusColumns } from './focus-columns.js';
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
  statement(seen: Seen): string;
  values(question: ExportQuestion, seen: Seen): unknown[];
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
    return this.send(principal, question, sink, {
      name: 'usage',
      columns: usageColumns,
      span: spanOfUsage,
      statement: ({ pseudonyms }) => usageOfDay(pseudonyms),
      values: ofPeople,
    });
  }

  focus(principal: Principal, question: ExportQuestion, sink: Sink): Promise<void> {
    return this.send(principal, question, sink, {
      name: 'focus',
      columns: focusColumns((kind) => this.kinds.find(kind)?.title ?? kind),
      span: spanOfCharges,
      statement: ({ pseudonyms }) => chargesOfDay(pseudonyms),
      values: ofPeople,
    });
  }

  coverage(principal: Principal, question: ExportQuestion, sink: Sink): Promise<void> {
    return this.send(principal, { ...question, showsPeople: false }, sink, {
      name: 'coverage',
      columns: coverageColumns,
      span: spanOfCoverage,
      statement: () => coverageOfDay,
      values: ({ connectionIds }) => [connectionIds],
    });
  }

  private async send<Row>(principal: Principal, question: ExportQuestion, sink: Sink, file: File<Row>): Promise<void> {
    checkRange(question);
    if (this.running >= most)
      throw overloaded('Other exports are being written.', { headers: { 'Retry-After': '10' } });
    this.running += 1;
    try {
      const days = await this.begin(principal, question, file);
      await sink.write(header(file.columns));
      for (const day of days)
        await this.database.tenant(principal, (tx) => this.sendDay(tx, principal, question, file, day, sink));
    } finally {
      this.running -= 1;
    }
  }

  /** Whether it may be, and for the record that it was. The days that there is anything of. */
  private begin<Row>(principal: Principal, question: ExportQuestion, { name, span }: File<Row>): Promise<Day[]> {
    const { tenantId } = principal;
    const { from, to, showsPeople } = question;
    return this.database.tenant(principal, async (tx) => {
      const { individuals } = await this.sight.of(principal, tx);
      if (showsPeople && individuals === 'none') throw peopleNotShown('Ask for the sums of groups.');
      if (showsPeople) await this.sight.recordRead(tx, principal, { report: `export of ${name}`, ...question });
      await this.audit.record(tx, principal, { kind: 'spend.exported', detail: { file: name, ...question } });
      const [known] = await tx.query<[Range | { from: null; to: null }]>(span, [tenantId, from, to]);
      return known.from === null ? [] : daysOf(known);
    });
  }

  /** Whoever is shown fewer people while it goes on gets no more of them. */
  private async sendDay<Row>(
    tx: EntityManager,
    principal: Principal,
    question: ExportQuestion,
    file: File<Row>,
    day: Day,
    sink: Sink,
  ): Promise<void> {
    const seen = await this.sight.of(principal, tx);
    const values = [principal.tenantId, day, ...file.values(question, seen)];
    await tx.query(toTheEnd);
    await tx.query(`declare export no scroll cursor for ${file.statement(seen)}`, values);
    for (let rows = batch; rows === batch;) {
      const read = await tx.query<Row[]>(`fetch ${batch} from export`);
      rows = read.length;
      const lines = read.map((each) => row(file.columns, each)).join('');
      if (lines) await meanwhile(sink.write(lines), () => tx.query('select 1'));
    }
  }
}

const ofPeople = (question: ExportQuestion, { individuals }: Seen): unknown[] => [
  question.connectionIds,
  question.groupIds,
  question.costCentreIds,
  question.showsPeople && individuals !== 'none',
  typeof individuals === 'string' ? null : individuals,
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
