import { readdir, readFile } from 'node:fs/promises';
import type { Connector } from '../../connections/connector-registry.service.js';
import type { SourceDocument } from '../../connections/knowledge-source.port.js';
import { sha256 } from '../../platform/crypto/digest.js';

/** Part of the product, so that it works without a setting of the operator. */
const folder = new URL('documents/', import.meta.url);

/** The handbook of a fictional company, to try out tasks before a system is connected. */
export const sampleConnector: Connector = {
  id: 'sample',
  title: 'Sample documents',
  about: 'The handbook of a fictional company, to try out tasks without connecting a system.',
  setUp:
    'The documents ship with this server, so there is nothing to set up. Agents search and cite them like any other source. ' +
    'Remove the integration when you no longer need it.',
  fields: [],
  offers: ['knowledge'],
  pullCadence: '1d',
  verify: async () => ({ status: 'connected' }),
  documents: readDocuments,
};

async function* readDocuments(): AsyncGenerator<SourceDocument> {
  for (const name of (await readdir(folder)).toSorted()) {
    const content = await readFile(new URL(name, folder), 'utf8');
    yield {
      externalId: name,
      kind: 'doc',
      title: content.slice(2, content.indexOf('\n')),
      url: `sample:/${name}`,
      mediaType: 'text/markdown',
      content,
      fingerprint: sha256(content).toString('hex'),
    };
  }
}
