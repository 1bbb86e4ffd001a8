import { readWrittenText, type WrittenBlock } from '../atlassian/written-text.js';

/** Converts text of an agent to the wiki markup of Jira Data Center. The text cannot create mentions or macros. */
export const toWikiMarkup = (text: string): string => readWrittenText(text).map(blockOf).join('\n\n');

function blockOf(block: WrittenBlock): string {
  switch (block.kind) {
    case 'heading':
      return `h${block.level}. ${escaped(block.text)}`;
    case 'list':
      return block.items.map((item) => `* ${escaped(item)}`).join('\n');
    case 'paragraph':
      return block.lines.map(escapedLine).join('\n');
    case 'code':
      return codeOf(block.language, block.text);
  }
}

/** A tag in the code would end its block. Jira notifies people of mentions in code, too. */
function codeOf(language: string, text: string): string {
  const code = text.replace(/\[(?=[~@])/g, '[ ');
  if (code.includes('{code')) return `{noformat}\n${code.replaceAll('{noformat', '{ noformat')}\n{noformat}`;
  return `{code${language ? `:${language}` : ''}}\n${code}\n{code}`;
}

/** Backslashes and dots cannot be escaped with a backslash: two backslashes are a line break. */
const escaped = (text: string): string => text.replaceAll('\\', '&#92;').replace(/[[\]{}*_+^~?!|]/g, '\\$&');

/** Also escapes marks that have a meaning only at the beginning of a line. */
const escapedLine = (line: string): string =>
  escaped(line)
    .replace(/^(\s*)(h[1-6]|bq)\./, '$1$2&#46;')
    .replace(/^(\s*)(?=[#-])/, '$1\\');
