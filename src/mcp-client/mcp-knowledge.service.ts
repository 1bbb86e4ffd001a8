import { Injectable } from '@nestjs/common';
import { ProtocolError } from '@modelcontextprotocol/client';
import { hasPersonalCredentials } from '../upstream-accounts/account-settings.port.js';
import type { DocumentsContext, SourceDocument } from '../connections/knowledge-source.port.js';
import { UnreadableDocument } from '../connections/connections.error.js';
import { McpClientPool } from './mcp-client-pool.service.js';
import { sourceDocumentOf, fingerprint, readResource, resourcesOf, unreadableReason } from './mcp-documents.js';
import { explainMcpFailure } from './mcp-failures.js';
import type { McpTarget } from './mcp-target.js';
import { McpTargetsService } from './mcp-targets.service.js';

/** The resources of a server as knowledge documents. */
@Injectable()
export class McpKnowledgeService {
  constructor(
    private readonly targets: McpTargetsService,
    private readonly clients: McpClientPool,
  ) {}

  /** With personal credentials the server shows resources to one person, so they must not become shared knowledge. */
  async *documents(context: DocumentsContext): AsyncGenerator<SourceDocument> {
    if (hasPersonalCredentials(context.settings)) return;
    const target = await this.targets.of(context);
    for await (const resource of resourcesOf((cursor) => this.page(target, context.signal, cursor))) {
      const problem = unreadableReason(resource);
      if (problem) {
        context.skipped(resource.uri, problem);
        continue;
      }
      const read = () => this.read(target, resource.uri, context.signal);
      const document = sourceDocumentOf(resource, read);
      if (document.fingerprint !== null) {
        yield { ...document, fingerprint: document.fingerprint };
        continue;
      }
      try {
        const content = await read();
        const bytes = Buffer.from(content).toString('base64');
        yield { ...document, content, fingerprint: fingerprint({ ...resource, content: bytes }) };
      } catch (error) {
        if (!(error instanceof UnreadableDocument)) throw error;
        context.skipped(resource.uri, error.message);
      }
    }
  }

  private page(target: McpTarget, until: AbortSignal, cursor?: string) {
    return this.clients.use(target, until, async (client, signal) => {
      if (!client.getServerCapabilities()?.resources) return { resources: [] };
      const params = cursor === undefined ? {} : { cursor };
      return client.request({ method: 'resources/list', params }, { signal, timeout: target.timeoutMs });
    });
  }

  /** An error from the server concerns only this resource; any other error makes the sync incomplete. */
  private async read(target: McpTarget, uri: string, until: AbortSignal): Promise<string | Uint8Array> {
    try {
      return await this.clients.use(target, until, (client, signal) =>
        readResource(client, uri, signal, target.timeoutMs),
      );
    } catch (error) {
      throw error instanceof ProtocolError ? new UnreadableDocument(explainMcpFailure(error), { cause: error }) : error;
    }
  }
}
