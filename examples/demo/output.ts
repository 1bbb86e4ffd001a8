const labelWidth = 16;

export type Say = (line: string) => void;

export const heading = (title: string): string => `\n${title}`;

/** A labelled line. Further lines of the text align with its first one. */
export const row = (label: string, text: string): string =>
  `  ${label.padEnd(labelWidth)}${text.replaceAll('\n', `\n${' '.repeat(labelWidth + 2)}`)}`;
