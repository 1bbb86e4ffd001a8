interface Span {
  start: number;
  end: number;
}

/** Replaces one policy. The text around it stays, including comments. */
export const replaced = (text: string, { start, end }: Span, written: string): string =>
  text.slice(0, start) + written + text.slice(end);

export const appended = (text: string, written: string): string =>
  text.trim() ? `${text.trimEnd()}\n\n${written}\n` : `${written}\n`;

/** Removes one policy and the blank lines that it would leave behind. */
export function removed(text: string, { start, end }: Span): string {
  const before = text.slice(0, start).trimEnd();
  const after = text.slice(end).trimStart();
  return before && after ? `${before}\n\n${after}` : before ? `${before}\n` : after;
}
