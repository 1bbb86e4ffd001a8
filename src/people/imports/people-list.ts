import { unprintableCharacter } from '../../platform/http/form-text.js';
import { emailKey } from '../vendor-identity.port.js';
import { unitName } from '../units/unit-name.port.js';
import { type CsvRecord, readCsv } from './csv.js';

/** One line of a list. Undefined: the list has no such column; null: the cell is empty. */
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
  /** Column name from the list; null: the whole line. */
  column: string | null;
  reason: string;
}
export interface PeopleList {
  rows: PeopleListRow[];
  faults: PeopleListFault[];
  ignoredColumns: string[];
}

/** The file as a whole is not a list of people, so there are no faults per line. */
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

/** The import runs in one transaction. */
const maxPeopleListRows = 50_000;

/** Reads every line and collects the faults of each. */
export function parsePeopleList(text: string): PeopleList {
  const [head, ...records] = readCsv(text);
  const header = readHeader(head);
  if (records.length > maxPeopleListRows)
    throw new InvalidPeopleList(`The list has more than ${maxPeopleListRows} people. Split it into several files.`);
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
  /** By position; null: ignored. */
  columns: (Column | null)[];
  names: string[];
  ignored: string[];
}

function readHeader(head: CsvRecord | undefined): Header {
  if (!head) throw new InvalidPeopleList('The list is empty.');
  if (head.error !== undefined) throw new InvalidPeopleList(`The first line cannot be read: ${head.error}.`);
  const names = head.cells.map((cell) => cell.trim());
  const found = names.map((name) => columns[name.toLowerCase().replace(/[\s_-]+/g, '_')] ?? null);
  if (!found.includes('email')) throw new InvalidPeopleList('The first line must name the columns, including "email".');
  const twice = found.findIndex((column, place) => column && found.indexOf(column) < place);
  if (twice >= 0)
    throw new InvalidPeopleList(
      `The column "${names[found.indexOf(found[twice])]}" appears twice ("${names[twice]}"). Remove one of them.`,
    );
  return { columns: found, names, ignored: names.filter((name, place) => name && !found[place]) };
}

const maxCellLength = 120;
/** Aliases of one person. */
const mostAliases = 100;
/** A spreadsheet would evaluate such a cell when somebody opens an export. */
const formulaStart = /^[=+\-@]/;
/** The prefix that exports put before such a cell to prevent evaluation. */
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
      return this.fault(null, `has ${cells.length} cells, but the first line has ${names.length}`);
    const typed = this.cell(cells, 'email') ?? '';
    const email = emailKey(typed.trim().replace(formulaGuard, ''));
    if (!email) this.fault('email', typed.trim() ? 'is not an email address' : 'is missing');
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

  /** Collapses line breaks and other whitespace into one space. */
  private text(cells: string[], column: Column): string | null | undefined {
    const typed = this.cell(cells, column);
    if (typed === undefined) return undefined;
    const text = unitName(typed);
    if (text === '') return null;
    if (text.includes('\ufffd'))
      this.fault(column, 'has a character that was lost in encoding: save the list as UTF-8');
    else if (unprintableCharacter.test(text)) this.fault(column, 'has a character that cannot be displayed');
    else if (formulaStart.test(text))
      this.fault(column, `begins with "${text[0]}" like a formula: remove this character`);
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
      (text) => emailKey(text) ?? this.fault('aliases', `"${shortened(text)}" is not an email address`),
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
