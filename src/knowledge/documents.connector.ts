import type { Connector } from '../connections/connector-registry.service.js';

/** Documents that the organization's own machines push, with a tenant key. Its short name stands in their address. */
export const documentsConnector = (address: () => string): Connector => ({
  id: 'documents',
  title: 'Pushed documents',
  about: 'For what no connector reads: documents that your own programs send here.',
  setUp:
    'For what no connector reads: your own programs send documents here. Make a tenant key with the scope "documents", then ' +
    `PUT ${address()}/ingest/documents/<short name>/<your id> with a body such as ` +
    '{"title": "…", "mediaType": "text/markdown", "content": "…"}. The same id again replaces the document, DELETE removes it.',
  fields: [],
  offers: ['knowledge'],
  verify: async () => ({ status: 'connected', reason: 'Ready; documents appear as soon as they are pushed.' }),
});
