import type { ExtractedText } from './block.js';
import { readHtml } from './html.js';
import { readMarkdown } from './markdown.js';
import { formatOfMediaType, type DocumentFormat } from './document-format.js';
import { readPdf } from './pdf.js';
import { readPlainText } from './plain-text.js';
import { readSourceCode } from './source-code.js';
import { UnreadableText } from './unreadable-text.js';

const readers: Record<Exclude<DocumentFormat, 'pdf'>, (text: string) => ExtractedText> = {
  markdown: readMarkdown,
  text: readPlainText,
  html: readHtml,
  code: readSourceCode,
};

/** Throws UnreadableText with an actionable reason. */
export async function extractText(mediaType: string, content: string | Uint8Array): Promise<ExtractedText> {
  const reader = formatOfMediaType(mediaType);
  if (!reader) throw new UnreadableText(`has the unsupported media type ${mediaType}`);
  if (reader === 'pdf') {
    if (typeof content === 'string') throw new UnreadableText('is a PDF that was sent as text instead of base64');
    return readPdf(content);
  }
  return readers[reader](typeof content === 'string' ? storable(content) : decode(content));
}

function decode(bytes: Uint8Array): string {
  const utf16 =
    (bytes[0] === 0xff && bytes[1] === 0xfe && 'utf-16le') || (bytes[0] === 0xfe && bytes[1] === 0xff && 'utf-16be');
  if (utf16) return storable(new TextDecoder(utf16).decode(bytes));
  if (bytes.subarray(0, 8192).includes(0)) throw new UnreadableText('is not text');
  try {
    return storable(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return storable(new TextDecoder('windows-1252').decode(bytes)); // the common legacy encoding; decoding never fails
  }
}

/** PostgreSQL cannot store NUL, and UTF-8 cannot encode lone surrogates. */
const storable = (text: string): string =>
  text
    .replace(/^\ufeff/, '')
    .replaceAll('\0', '')
    .toWellFormed();
