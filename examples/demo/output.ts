const labelWidth = 18;
const textWidth = 96;

export type Say = (line: string) => void;

export const heading = (title: string): string => `\n${title}`;

/** A labelled line. Long text wraps, and further lines align with the first one. */
export const row = (label: string, text: string): string =>
  `  ${label.padEnd(labelWidth)}${wrap(text).replace(/\n(?!\n)/g, `\n${' '.repeat(labelWidth + 2)}`)}`;

const wrap = (text: string): string =>
  text.replace(new RegExp(`(?![^\\n]{1,${textWidth}}$)([^\\n]{1,${textWidth}}) `, 'gm'), '$1\n');
