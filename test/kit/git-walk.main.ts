import { registerHooks } from 'node:module';
import { BlockList } from 'node:net';
import type { DocumentsContext } from '../../src/connections/knowledge-source.port.js';

/* Walks a repository and reads its documents, in a process that tests kill. */

registerHooks({
  resolve(specifier, context, nextResolve) {
    try {
      return nextResolve(specifier, context);
    } catch (error) {
      if (!specifier.endsWith('.js')) throw error;
      return nextResolve(specifier.replace(/\.js$/, '.ts'), context);
    }
  },
});
const { gitConnector } = await import('../../src/knowledge/git/git.connector.js');
const { documentsContext } = await import('./documents-context.js');

const [root, address, tenantId, id] = process.argv.slice(2);
const allowedNetworks = new BlockList();
allowedNetworks.addSubnet('127.0.0.0', 8);
const { documents } = documentsContext({
  connection: { tenantId, id, slug: 'code' },
  settings: { address },
  secret: () => undefined,
  signal: new AbortController().signal,
} as unknown as DocumentsContext);
for await (const { content } of gitConnector({ root, allowedNetworks }).documents!(documents))
  if (typeof content === 'function') await content();
