import { unprintableCharacter } from '../../../platform/http/form-text.js';
import { emailKey } from '../../vendor-identity.js';
import { unitName } from '../units/unit-name.js';
import { type CsvRecord, readCsv } from './csv.js';

/** What one line says of somebody. Undefined: the list has no such column; null: the cell is empty. */
export interface PeopleListRow {
  line: number;
  email: string;
  name?: string | null;
  group?: string | null;
  costCentre?: string | null;
  aliases: string[];
}
export interface PeopleListFault {
  line: number;
  /** As the list calls it; null: the whole line. */
  column: string | null;
  reason: string;
}
export interface PeopleList {
  rows: PeopleListRow[];
  faults: PeopleListFault[];
  ignoredColumns: string[];
}

/** The whole file is no list of people; there are no lines to speak of. */
export class InvalidPeopleList extends Error {}

type Column = 'email' | 'name' | 'group' | 'costCentre' | 'aliases';
const columns: Record<string, Column> = {
  email: 'email',
  e_mail: 'email',
  mail: 'email',
  email_address: 'email',
  name: 'name',
  full_name: 'name',
  display_name: 'name',
  group: 'group',
  team: 'group',
  cost_centre: 'costCentre',
  cost_center: 'costCentre',
  costcentre: 'costCentre',
  costcenter: 'costCentre',
  alias: 'aliases',
  aliases: 'aliases',
  other_emails: 'aliases',
};

/** It is followed in one transaction. */
const maxPeopleListRows = 50_000;

/** Reads every line, and says of each that is wrong what is wrong with it. */
export function parsePeopleList(text: string): PeopleList {
  const [head, ...records] = readCsv(text);
  const header = readHeader(head);
  if (records.length > maxPeopleListRows)
    throw new InvalidPeopleList(`The list has more than ${maxPeopleListRows} people: give it in parts.`);
  const list: PeopleList = { rows: [], faults: [], ignoredColumns: header.ignored };
  for (const record of records) {
    const line = new Line(record, header);
    const row = line.read();
    for (const fault of line.faults) list.faults.push(fault);
    if (row && !line.faults.length) list.rows.push(row);
  }
  return list;
}

interface Header {
  /** By place; null: not ours. */
  columns: (Column | null)[];
  names: string[];
  ignored: string[];
}

function readHeader(head: CsvRecord | undefined): Header {
  if (!head) throw new InvalidPeopleList('The list is empty.');
  if (head.error !== undefined) throw new InvalidPeopleList(`The first line cannot be read: ${head.error}.`);
  const names = head.cells.map((cell) => cell.trim());
  const found = names.map((name) => columns[name.toLowerCase().replace(/[\s_-]+/g, '_')] ?? null);
  if (!found.includes('email'))
    throw new InvalidPeopleList('The first line has to name the columns, "email" among them.');
  const twice = found.findIndex((column, place) => column && found.indexOf(column) < place);
  if (twice >= 0)
    throw new InvalidPeopleList(
      `The column "${names[found.indexOf(found[twice])]}" is there twice ("${names[twice]}").`,
    );
  return { columns: found, names, ignored: names.filter((name, place) => name && !found[place]) };
}

const maxCellLength = 120;
/** Other addresses of one person. */
const mostAliases = 100;
/** A spreadsheet would have computed it, or would when somebody opens what we export. */
const formulaStart = /^[=+\-@]/;
/** What our own files, and others, put before it so that it is none. */
const formulaGuard = /^'(?=[=+\-@])/;

class Line {
  readonly faults: PeopleListFault[] = [];

  constructor(
    private readonly record: CsvRecord,
    private readonly header: Header,
  ) {}

  read(): PeopleListRow | null {
    const { line, cells, error } = { cells: [], ...this.record };
    const { names } = this.header;
    if (error !== undefined) return this.fault(null, error);
    if (cells.length < names.length || cells.slice(names.length).some((cell) => cell.trim()))
      return this.fault(null, `has ${cells.length} cells; the first line names ${names.length}`);
    const typed = this.cell(cells, 'email') ?? '';
    const email = emailKey(typed.trim().replace(formulaGuard, ''));
    if (!email) this.fault('email', typed.trim() ? 'is no e-mail address' : 'is missing');
    return {
      line,
      email: email ?? '',
      name: this.text(cells, 'name'),
      group: this.text(cells, 'group'),
      costCentre: this.text(cells, 'costCentre'),
      aliases: this.addresses(cells).filter((alias) => alias !== email),
    };
  }

  private cell(cells: string[], column: Column): string | undefined {
    const place = this.header.columns.indexOf(column);
    return place < 0 ? undefined : cells[place];
  }

  /** Line breaks and other blanks inside become one blank. */
  private text(cells: string[], column: Column): string | null | undefined {
    const typed = this.cell(cells, column);
    if (typed === undefined) return undefined;
    const text = unitName(typed);
    if (text === '') return null;
    if (text.includes('\ufffd')) this.fault(column, 'has a character that was lost: save the list as UTF-8');
    else if (unprintableCharacter.test(text)) this.fault(column, 'has a character that cannot be shown');
    else if (formulaStart.test(text)) this.fault(column, `begins with "${text[0]}", as a formula does`);
    else if (text.length > maxCellLength) this.fault(column, `has more than ${maxCellLength} characters`);
    return text.replace(formulaGuard, '');
  }

  private addresses(cells: string[]): string[] {
    const typed = (this.cell(cells, 'aliases') ?? '')
      .split(/[\s,;|]+/)
      .filter(Boolean)
      .map((text) => text.replace(formulaGuard, ''));
    if (typed.length > mostAliases) {
      this.fault('aliases', `has more than ${mostAliases} addresses`);
      return [];
    }
    const keys = typed.map(
      (text) => emailKey(text) ?? this.fault('aliases', `"${shortened(text)}" is no e-mail address`),
    );
    return [...new Set(keys.filter((key) => key !== null))];
  }

  private fault(column: Column | null, reason: string): null {
    const name = column && this.header.names[this.header.columns.indexOf(column)];
    this.faults.push({ line: this.record.line, column: name, reason });
    return null;
  }
}

const shortened = (text: string): string => (text.length > 60 ? `${text.slice(0, 60)}…` : text);
