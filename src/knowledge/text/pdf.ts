import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Extract } from './block.js';
import { readPages } from './plain-text.js';
import { UnreadableDocument } from '../../connections/connections.error.js';

const bounds = { maxPages: 2000, seconds: 30, heapMb: 256 };
const script = new URL(import.meta.url.endsWith('.ts') ? './pdf.worker.ts' : './pdf.worker.js', import.meta.url);

interface Pages {
  title: string | null;
  pages: string[];
}

/** A PDF is a program of sorts: it is read in a thread that is ended when it takes too long or too much memory. */
export async function readPdf(data: Uint8Array, { maxPages, seconds, heapMb } = bounds): Promise<Extract> {
  const worker = new Worker(script, {
    workerData: { data: Uint8Array.from(data), maxPages },
    env: {},
    execArgv: ['--disable-warning=ExperimentalWarning'],
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: heapMb },
  });
  try {
    const [read] = (await once(worker, 'message', { signal: AbortSignal.timeout(seconds * 1000) })) as [Pages];
    if (!read.pages.some((page) => page.trim()))
      throw new UnreadableDocument('has no text; scanned pages are not recognized');
    return readPages(read.title, read.pages);
  } catch (error) {
    throw unreadable(error, seconds);
  } finally {
    await worker.terminate();
  }
}

function unreadable(error: unknown, seconds: number): UnreadableDocument {
  if (error instanceof UnreadableDocument) return error;
  const { name, code, message } = error as NodeJS.ErrnoException;
  if (name === 'AbortError') return new UnreadableDocument(`could not be read within ${seconds} seconds`);
  if (code === 'ERR_WORKER_OUT_OF_MEMORY') return new UnreadableDocument('needs too much memory to be read');
  if (name === 'PasswordException' || /password/i.test(message))
    return new UnreadableDocument('is protected by a password');
  return new UnreadableDocument(`is not a readable PDF: ${message}`);
}
