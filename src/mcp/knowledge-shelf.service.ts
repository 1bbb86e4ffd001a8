import type { Resource, ResourceTemplateType } from '@modelcontextprotocol/server';
import { Injectable } from '@nestjs/common';
import { GateService } from '../gate/gate.service.js';
import type { Caller } from './caller.js';

const tools = { list: 'knowledge__documents', read: 'knowledge__read' };
const prefix = 'countersign://knowledge/';
/** Text that was taken out of documents has its headings marked like this. */
export const documentType = 'text/markdown';

export const documentUri = (documentId: string, from = 0): string =>
  `${prefix}${documentId}${from ? `?from=${from}` : ''}`;

type Listed = {
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

/** Documents that the caller may read, as resources. They are found and read by tools, through the gate like any other. */
@Injectable()
export class KnowledgeShelf {
  constructor(private readonly gate: GateService) {}

  /** Nothing where the policy keeps the list from the caller. `after`: the document to go on behind. */
  async resources(
    { principal, configurationId }: Caller,
    after: string | null,
  ): Promise<{ rows: Resource[]; next: string | null }> {
    const offers = await this.gate.listOperations(principal, configurationId);
    if (!offers.some(({ name }) => name === tools.list)) return { rows: [], next: null };
    const request = { configurationId, tool: tools.list, arguments: JSON.stringify(after ? { after } : {}) };
    const outcome = await this.gate.call(principal, request);
    if (outcome.state !== 'succeeded' || outcome.result.isError) return { rows: [], next: null };
    const { documents, next } = outcome.result.structured as Listed;
    return { rows: documents.map(onWire), next };
  }

  async template({ principal, configurationId }: Caller): Promise<ResourceTemplateType[]> {
    const offers = await this.gate.list(principal, configurationId);
    return offers.some(({ name }) => name === tools.read) ? [template] : [];
  }
}

const onWire = ({ documentId, title, source, url, kind, updatedAt }: Listed['documents'][number]): Resource => ({
  uri: documentUri(documentId),
  name: title,
  title,
  description: [kind, source, url].filter(Boolean).join(', '),
  mimeType: documentType,
  ...(updatedAt === null ? {} : { annotations: { lastModified: updatedAt } }),
});

const template: ResourceTemplateType = {
  uriTemplate: `${prefix}{documentId}{?from}`,
  name: 'document',
  title: 'A document of the organization’s knowledge',
  description:
    'The text of a document that a search named, from the beginning or from a passage on; at its end it says where it goes on.',
  mimeType: documentType,
};
