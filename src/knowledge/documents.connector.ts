import type { Connector } from '../connections/connector-registry.service.js';

/** Documents that the organization's own programs push with a tenant key. The slug is part of their URL. */
export const documentsConnector = (address: () => string): Connector => ({
  id: 'documents',
  title: 'Pushed documents',
  about: 'For content without a connector: your own programs push documents.',
  setUp:
    'For content without a connector: your own programs push documents. Create a tenant key with the scope "documents", then ' +
    `send PUT ${address()}/ingest/documents/<slug>/<your id> with a body such as ` +
    '{"title": "…", "mediaType": "text/markdown", "content": "…"}. PUT with the same id replaces the document; DELETE removes it.',
  fields: [],
  offers: ['knowledge'],
  verify: async () => ({ status: 'connected', reason: 'Ready. Documents are searchable as soon as they are pushed.' }),
});
