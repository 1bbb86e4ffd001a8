import type { Connector } from '../../src/connections/connector-registry.service.js';
import type { DocumentsContext, SourceDocument } from '../../src/connections/knowledge-source.port.js';

/**
 * A source of many documents in pages, for other processes (CONNECTORS). Settings: `count`, and `page`, the documents
 * between two checkpoints. It is slow, so that a process can be killed in between.
 */
const paged: Connector = {
  id: 'paged',
  title: 'Paged',
  setUp: 'For tests.',
  fields: [
    { name: 'count', label: 'Documents', type: 'number', required: true, help: '' },
    { name: 'page', label: 'Page size', type: 'number', required: true, help: '' },
  ],
  offers: ['knowledge'],
  verify: async () => ({ status: 'connected' }),
  documents,
};
export default paged;

async function* documents({
  settings,
  progress,
  checkpoint,
  signal,
}: DocumentsContext): AsyncGenerator<SourceDocument> {
  const count = Number(settings.count);
  const page = Number(settings.page);
  for (let at = Number(progress?.at ?? 0); at < count; at += page) {
    for (let number = at; number < Math.min(at + page, count); number++)
      yield {
        externalId: `page-${number}`,
        kind: 'doc',
        title: `Page ${number}`,
        // the first process that reads it: a document that is read twice is stored twice
        content: () => Promise.resolve(`Sentence of page${number} about carts.`),
        mediaType: 'text/plain',
        fingerprint: String(number),
      };
    await checkpoint({ at: at + page, pid: process.pid });
    await new Promise((resolve) => setTimeout(resolve, 50));
    signal.throwIfAborted();
  }
}
