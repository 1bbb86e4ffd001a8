/** A cell: text may be anything, numbers are written as they are, null is an empty cell. */
export interface CsvColumn<Row> {
  name: string;
  text?: (row: Row) => string | null;
  number?: (row: Row) => string | number | null;
}

export const csvHeader = <Row>(columns: readonly CsvColumn<Row>[]): string =>
  line(columns.map(({ name }) => textCell(name)));

export const csvRow = <Row>(columns: readonly CsvColumn<Row>[], values: Row): string =>
  line(
    columns.map(({ text, number }) => {
      const value = text ? text(values) : number!(values);
      if (value === null) return '';
      return text ? textCell(value as string) : String(value);
    }),
  );

/** RFC 4180: lines end in CR LF. */
const line = (cells: string[]) => `${cells.join(',')}\r\n`;

const needsQuotes = /[",;\t\r\n]|^\s|\s$/;

/** Quoted where a comma, another usual separator or a line break would end it. An empty text differs from none. */
function textCell(text: string): string {
  const plain = withoutFormulas(text);
  return needsQuotes.test(plain) || !plain ? `"${plain.replaceAll('"', '""')}"` : plain;
}

/**
 * Spreadsheets take what begins like this for a formula, which may send the sheet elsewhere or start a program; also after a
 * separator of the reader's own country, which cuts cells where we do not. Spaces and unseen characters before it do not help.
 */
const formula = /(^|[;\t\r\n|])([\s\p{Cf}\p{Cc}]*)(?=[=+\-@＝＋－＠])/gu;

/** With an apostrophe before it, a spreadsheet shows the text as it is and computes nothing. */
const withoutFormulas = (text: string): string => text.replace(formula, "$1$2'");
