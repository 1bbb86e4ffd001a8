/** A block of text that an agent wrote, before it is converted to the format of Jira or Confluence. */
export type WrittenBlock =
  | { kind: 'heading'; level: number; text: string }
  | { kind: 'paragraph'; lines: string[] }
  | { kind: 'list'; items: string[] }
  | { kind: 'code'; language: string; text: string };

/** For the descriptions of tools. */
export const formatNote =
  'Paragraphs, headings (#), lists (-) and fenced code are formatted; everything else stays plain text.';

const fence = /^(`{3,}|~{3,})\s*([\w+#.-]{0,40})\s*$/;
const heading = /^(#{1,6}) +(\S.*)$/;
const item = /^[-*] +(\S.*)$/;

/** Reads headings, lists and fenced code of Markdown. Everything else stays plain text. */
export function readWrittenText(text: string): WrittenBlock[] {
  const blocks: WrittenBlock[] = [];
  const lines = text.replaceAll('\0', '').split(/\r\n?|\n/);
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at];
    const [, mark, language = ''] = fence.exec(line) ?? [];
    const [, marks, title] = heading.exec(line) ?? [];
    const [, entry] = item.exec(line) ?? [];
    const last = blocks.at(-1);
    if (mark) {
      const end = lines.findIndex((other, index) => index > at && other.trim() === mark);
      const code = lines.slice(at + 1, end === -1 ? undefined : end);
      blocks.push({ kind: 'code', language, text: code.join('\n') });
      at = end === -1 ? lines.length : end;
    } else if (marks) blocks.push({ kind: 'heading', level: marks.length, text: title });
    else if (entry)
      if (last?.kind === 'list' && lines[at - 1].trim()) last.items.push(entry);
      else blocks.push({ kind: 'list', items: [entry] });
    else if (line.trim())
      if (last?.kind === 'paragraph' && lines[at - 1].trim()) last.lines.push(line);
      else blocks.push({ kind: 'paragraph', lines: [line] });
  }
  return blocks;
}
