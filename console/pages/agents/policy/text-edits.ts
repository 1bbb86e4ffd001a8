interface Span {
  start: number;
  end: number;
}

/** Replaces one policy. The text around it stays, including comments. */
export const replacePolicy = (text: string, { start, end }: Span, replacement: string): string =>
  text.slice(0, start) + replacement + text.slice(end);

export const appendPolicy = (text: string, policy: string): string =>
  text.trim() ? `${text.trimEnd()}\n\n${policy}\n` : `${policy}\n`;

/** Removes one policy and the blank lines that it would leave behind. */
export function removePolicy(text: string, { start, end }: Span): string {
  const before = text.slice(0, start).trimEnd();
  const after = text.slice(end).trimStart();
  return before && after ? `${before}\n\n${after}` : before ? `${before}\n` : after;
}
