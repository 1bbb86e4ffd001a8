/** One record of a CSV file: its first line, counted from 1, and its cells or the reason why it is malformed. */
export type CsvRecord = { line: number; cells: string[]; error?: undefined } | { line: number; error: string };

const separators = [',', ';', '\t'];

/**
 * Parses RFC 4180 strictly. Quoted cells may contain separators, doubled quotes and line breaks. A quote in the middle
 * of a cell is an error, and parsing continues with the next line. Lines end with CR LF, LF or CR. A byte order mark
 * and empty lines are skipped. The separator is the most frequent unquoted one of the first line (comma, semicolon or
 * tab), or the one that a preceding line such as "sep=;" defines.
 */
export function* readCsv(text: string): Generator<CsvRecord> {
  const source = text.startsWith('\ufeff') ? text.slice(1) : text;
  const declared = /^"?sep=([,;\t])"?(\r\n|\r|\n)/i.exec(source);
  const reader = new CsvReader(source, declared?.[1] ?? separatorOf(source), declared?.[0].length);
  while (!reader.isAtEnd) {
    const record = reader.record();
    if (record.error !== undefined || record.cells.length > 1 || record.cells[0].trim() !== '') yield record;
  }
}

function separatorOf(source: string): string {
  const head = /^(?:"(?:[^"]|"")*"|[^"\r\n])*/.exec(source)![0].replace(/"(?:[^"]|"")*"/g, '');
  const counts = separators.map((separator) => head.split(separator).length);
  return separators[counts.indexOf(Math.max(...counts))];
}

class MalformedRecord extends Error {}

// shared instances: creating a stack trace for every line would cost more than parsing
const strayQuote = new MalformedRecord(
  'unexpected quote in the middle of a cell: quote the whole cell and double the quotes inside it',
);
const openCell = new MalformedRecord(
  'the quoted cell that starts here never ends, so the rest of the file could not be read: add the closing quote',
);
const extraText = new MalformedRecord('unexpected text between the end of a quoted cell and the next separator');

class CsvReader {
  private at: number;
  private line: number;
  private readonly plain: RegExp;

  constructor(
    private readonly source: string,
    private readonly separator: string,
    from = 0,
  ) {
    this.at = from;
    this.line = from ? 2 : 1;
    this.plain = new RegExp(`[^${separator}"\\r\\n]*`, 'y');
  }

  get isAtEnd(): boolean {
    return this.at >= this.source.length;
  }

  record(): CsvRecord {
    const line = this.line;
    try {
      return { line, cells: this.cells() };
    } catch (error) {
      if (error instanceof MalformedRecord) return { line, error: error.message };
      throw error;
    } finally {
      this.endLine();
    }
  }

  private cells(): string[] {
    const cells = [this.cell()];
    while (this.source[this.at] === this.separator) {
      this.at += 1;
      cells.push(this.cell());
    }
    return cells;
  }

  private cell(): string {
    if (this.source[this.at] === '"') return this.quoted();
    const text = this.upTo(this.plain);
    if (this.source[this.at] === '"') throw strayQuote;
    return text;
  }

  private quoted(): string {
    let text = '';
    for (;;) {
      const end = this.source.indexOf('"', this.at + 1);
      if (end < 0) {
        this.at = this.source.length;
        throw openCell;
      }
      text += this.source.slice(this.at + 1, end);
      this.at = end + 1;
      if (this.source[this.at] !== '"') break;
      text += '"';
    }
    this.line += lineBreaks(text);
    if (this.isAtEnd || [this.separator, '\r', '\n'].includes(this.source[this.at])) return text;
    throw extraText;
  }

  /** Also skips the rest of a malformed line. */
  private endLine(): void {
    this.upTo(/[^\r\n]*/y);
    if (this.isAtEnd) return;
    this.at += this.source.startsWith('\r\n', this.at) ? 2 : 1;
    this.line += 1;
  }

  private upTo(pattern: RegExp): string {
    pattern.lastIndex = this.at;
    const [text] = pattern.exec(this.source)!;
    this.at += text.length;
    return text;
  }
}

const lineBreaks = (text: string): number => text.match(/\r\n|\r|\n/g)?.length ?? 0;
