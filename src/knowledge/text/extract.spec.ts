import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { PDFDocument } from 'pdf-lib';
import { chunkBlocks } from './chunk.js';
import { extractText } from './extract.js';
import { readPdf } from './pdf.js';
import { parseWords } from './tokenize.js';

const sheet = new URL('../../../examples/demo-documents/hardware/pika-3-data-sheet.pdf', import.meta.url);

describe('text extraction', () => {
  it('reads the pages of a PDF', async () => {
    const { title, blocks } = await extractText('application/pdf', await readFile(sheet));
    expect(title).toBe('Pika 3: data sheet');
    const range = blocks.find(({ text }) => text.includes('Range: about 11 hours'));
    expect(range?.place).toEqual({ unit: 'page', from: 2, to: 2 });
    expect(range?.text).toContain('\n');
  });

  it('explains why a PDF cannot be read', async () => {
    await expect(extractText('application/pdf', Buffer.from('%PDF-1.7 rubbish'))).rejects.toThrow(
      /^is not a readable PDF/,
    );
    const empty = await PDFDocument.create();
    empty.addPage();
    empty.addPage();
    const bytes = await empty.save();
    await expect(extractText('application/pdf', bytes)).rejects.toThrow(
      'contains no text; text in scanned pages is not recognized',
    );
    await expect(readPdf(bytes, 1)).rejects.toThrow(/has 2 pages; the limit is 1/);
  });

  it('decodes legacy and UTF-16 encodings and rejects binary data', async () => {
    expect((await extractText('text/plain', Buffer.from('caf\xe9', 'latin1'))).blocks[0].text).toBe('café');
    expect((await extractText('text/plain', Buffer.from('\ufeffüber', 'utf16le'))).blocks[0].text).toBe('über');
    await expect(extractText('text/plain', Buffer.from([65, 0, 66]))).rejects.toThrow('is not text');
    await expect(extractText('image/png', Buffer.from([1]))).rejects.toThrow(
      'has the unsupported media type image/png',
    );
  });

  it('removes characters that the database cannot store', async () => {
    expect((await extractText('text/plain', 'a\0b\ud800')).blocks[0].text).toBe('ab\ufffd');
  });
});

describe('a hostile text', () => {
  const long = 2 ** 20;
  it.each([
    ['brackets in a heading', 'text/markdown', `# ${'['.repeat(long)}`],
    ['spaces in a heading', 'text/markdown', `# ${' '.repeat(long)}x`],
    ['many fences', 'text/markdown', '```\n```\n'.repeat(long / 8)],
    ['many one-letter paragraphs', 'text/markdown', 'a\n\n'.repeat(long / 3)],
    ['one endless word', 'text/plain', 'aA'.repeat(long / 2)],
    ['one endless line of dots', 'text/plain', '.'.repeat(long)],
    ['pipes', 'text/markdown', '| '.repeat(long / 2)],
    ['spaces in many headings', 'text/markdown', `# ${' '.repeat(490)}x\n`.repeat(long / 500)],
    ['brackets in many headings', 'text/markdown', `# ${'['.repeat(490)}\n`.repeat(long / 500)],
    ['one long heading above many lines', 'text/html', `<h2>${'a '.repeat(long / 4)}</h2>${'<p>b'.repeat(long / 8)}`],
    ['a table of many rows', 'text/markdown', '| a | b |\n'.repeat(long / 10)],
    ['a very long fence', 'text/markdown', `${'`'.repeat(long)}\na\n`],
    ['hidden elements that are never closed', 'text/html', '<svg></b>'.repeat(100)],
  ])('is read in reasonable time: %s', async (_, mediaType, text) => {
    const { title, blocks } = await extractText(mediaType, text);
    for (const piece of chunkBlocks(blocks)) parseWords(piece.text);
    expect((title ?? '').length).toBeLessThanOrEqual(500);
  });

  it('is rejected if it is nested deeper than any real page', async () => {
    await expect(extractText('text/html', '<b>'.repeat(5000))).rejects.toThrow(
      'is nested more than 1000 elements deep',
    );
  });
});
