import { extractText, getDocumentProxy, getMeta } from 'unpdf';
import type { ExtractedText } from './block.js';
import { readPages } from './plain-text.js';
import { UnreadableText } from './unreadable-text.js';

const maxPdfPages = 2000;

/** Parsing a PDF can take unbounded time and memory, so it runs only in an isolated worker with limits. */
export async function readPdf(data: Uint8Array, maxPages = maxPdfPages): Promise<ExtractedText> {
  try {
    const { title, pages } = await pagesOf(data, maxPages);
    if (!pages.some((page) => page.trim()))
      throw new UnreadableText('contains no text; text in scanned pages is not recognized');
    return readPages(title, pages);
  } catch (error) {
    throw toUnreadableText(error);
  }
}

async function pagesOf(data: Uint8Array, maxPages: number): Promise<{ title: string | null; pages: string[] }> {
  const pdf = await getDocumentProxy(Uint8Array.from(data), {
    isEvalSupported: false,
    maxImageSize: 0,
    stopAtErrors: false,
    disableFontFace: true,
  });
  if (pdf.numPages > maxPages) throw new UnreadableText(`has ${pdf.numPages} pages; the limit is ${maxPages}`);
  const { info } = await getMeta(pdf);
  const { text } = await extractText(pdf);
  return { title: typeof info.Title === 'string' ? info.Title.trim() || null : null, pages: text };
}

function toUnreadableText(error: unknown): UnreadableText {
  if (error instanceof UnreadableText) return error;
  const { name, message } = error as Error;
  if (name === 'PasswordException' || /password/i.test(message))
    return new UnreadableText('is protected by a password');
  return new UnreadableText(`is not a readable PDF: ${message.slice(0, 200)}`);
}
