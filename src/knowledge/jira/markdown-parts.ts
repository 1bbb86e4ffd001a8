/** A fenced block of code. The fence is longer than any run of backticks in the code. */
export function fenced(code: string, language: string): string {
  const mark = '`'.repeat(Math.max(3, longestRun(code, '`') + 1));
  return `${mark}${/^[\w+#.-]{1,40}$/.test(language) ? language : ''}\n${code}\n${mark}`;
}

/** Escapes characters that start a heading, fence, table, rule or quotation at the beginning of a line, and comments. */
export const escapeLine = (line: string): string =>
  line.replace(/^(\s*)(?=#|>|\||```|~~~|={2,}|-{2,})/, '$1\\').replaceAll('<!--', '<\\!--');

/** The value if it is a web address without characters that end a Markdown link, otherwise an empty string. */
export const webAddress = (value: unknown): string =>
  typeof value === 'string' && /^https?:\/\/[^\s<>()]{1,2000}$/.test(value) ? value : '';

export function longestRun(text: string, mark: string): number {
  let longest = 0;
  let run = 0;
  for (const character of text) {
    run = character === mark ? run + 1 : 0;
    longest = Math.max(longest, run);
  }
  return longest;
}
