/** A column. Text is escaped, numbers are written unchanged, null is an empty cell. */
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

/** Quotes cells with separators or line breaks, and empty text to distinguish it from null. */
function textCell(text: string): string {
  const plain = withoutFormulas(text);
  return needsQuotes.test(plain) || !plain ? `"${plain.replaceAll('"', '""')}"` : plain;
}

/**
 * Spreadsheets evaluate text that begins like this as a formula, which can exfiltrate data or start a program. This
 * also matches after separators of other locales, which split our cells, and after leading spaces and invisible
 * characters.
 */
const formula = /(^|[;\t\r\n|])([\s\p{Cf}\p{Cc}]*)(?=[=+\-@＝＋－＠])/gu;

/** With a leading apostrophe, a spreadsheet shows the text and does not evaluate it. */
const withoutFormulas = (text: string): string => text.replace(formula, "$1$2'");
