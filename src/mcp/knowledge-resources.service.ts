import type { Resource, ResourceTemplateType } from '@modelcontextprotocol/server';
import { Injectable } from '@nestjs/common';
import { GateService } from '../gate/gate.service.js';
import type { McpCaller } from './mcp-caller.js';

const knowledgeTools = { list: 'knowledge__documents', read: 'knowledge__read' };
const documentUriPrefix = 'countersign://knowledge/';
/** Text extracted from documents marks its headings as Markdown. */
export const documentType = 'text/markdown';

export const documentUri = (documentId: string, from = 0): string =>
  `${documentUriPrefix}${documentId}${from ? `?from=${from}` : ''}`;

type ListedDocuments = {
  documents: {
    documentId: string;
    title: string;
    source: string;
    url: string | null;
    kind: string;
    updatedAt: string | null;
  }[];
  next: string | null;
};

/** Exposes documents that the caller may read as resources. Listing and reading are tool calls through the gate. */
@Injectable()
export class KnowledgeResourcesService {
  constructor(private readonly gate: GateService) {}

  /** Empty if the policy denies the list to the caller. `after`: the last document of the previous page. */
  async resources(
    { principal, configurationId }: McpCaller,
    after: string | null,
  ): Promise<{ rows: Resource[]; next: string | null }> {
    const operations = await this.gate.listOperations(principal, configurationId);
    if (!operations.some(({ name }) => name === knowledgeTools.list)) return { rows: [], next: null };
    const request = { configurationId, tool: knowledgeTools.list, arguments: JSON.stringify(after ? { after } : {}) };
    const outcome = await this.gate.call(principal, request);
    if (outcome.state !== 'succeeded' || outcome.result.isError) return { rows: [], next: null };
    const { documents, next } = outcome.result.structured as ListedDocuments;
    return { rows: documents.map(toDocumentResource), next };
  }

  async template({ principal, configurationId }: McpCaller): Promise<ResourceTemplateType[]> {
    const offeredTools = await this.gate.list(principal, configurationId);
    return offeredTools.some(({ name }) => name === knowledgeTools.read) ? [template] : [];
  }
}

const toDocumentResource = ({
  documentId,
  title,
  source,
  url,
  kind,
  updatedAt,
}: ListedDocuments['documents'][number]): Resource => ({
  uri: documentUri(documentId),
  name: title,
  title,
  description: [kind, source, url].filter(Boolean).join(', '),
  mimeType: documentType,
  ...(updatedAt === null ? {} : { annotations: { lastModified: updatedAt } }),
});

const template: ResourceTemplateType = {
  uriTemplate: `${documentUriPrefix}{documentId}{?from}`,
  name: 'document',
  title: 'A document from the organization’s knowledge',
  description:
    'The text of a document from the search results, from the beginning or from an offset. Its last line links to the next part.',
  mimeType: documentType,
};
