// Runs as a thread of its own, also directly from TypeScript: no imports of ours, no syntax that is not erased.
import { parentPort, workerData } from 'node:worker_threads';
import { extractText, getDocumentProxy, getMeta } from 'unpdf';

const { data, maxPages } = workerData as { data: Uint8Array; maxPages: number };

const pdf = await getDocumentProxy(data, {
  isEvalSupported: false,
  maxImageSize: 0,
  stopAtErrors: false,
  disableFontFace: true,
});
if (pdf.numPages > maxPages) throw new Error(`has ${pdf.numPages} pages; at most ${maxPages} are read`);
const { info } = await getMeta(pdf);
const { text } = await extractText(pdf);
parentPort!.postMessage({ title: typeof info.Title === 'string' ? info.Title.trim() || null : null, pages: text });
