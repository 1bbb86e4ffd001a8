import type { ContentBlock } from '@modelcontextprotocol/server';
import type { ToolResult } from '../connections/tools.service.js';
import { documentType, documentUri } from './knowledge-resources.service.js';

type CitedResult = {
  citations: { documentId: string; title: string; snippet: string }[];
};

/** Links search results to resources that this server can read. Lists each document once. */
export function documentLinks({ structured }: ToolResult): ContentBlock[] {
  const { citations } = structured as CitedResult;
  const byDocument = new Map(citations.toReversed().map((citation) => [citation.documentId, citation]));
  return [...byDocument.values()].toReversed().map(({ documentId, title, snippet }) => ({
    type: 'resource_link',
    uri: documentUri(documentId),
    name: title,
    title,
    description: snippet,
    mimeType: documentType,
  }));
}
