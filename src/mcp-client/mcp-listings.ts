import type { Client, Prompt, RequestOptions, Resource, ResourceTemplateType } from '@modelcontextprotocol/client';
import type { JsonObject } from '../platform/json/strict-json.js';
import type {
  ListedPrompt,
  ListedResource,
  ListedTemplate,
  Listings,
} from '../connections/connector-registry.service.js';
import { cleanText, cleanJson } from './clean.js';
import { everyPage } from './mcp-pages.js';
import { truncate } from '../platform/text/truncate.js';

const maxListedItems = 5000;
const maxListedNameLength = 1000;
const maxListedUriLength = 10_000;
const maxListedDescriptionLength = 4000;
const maxArguments = 100;

/** What a server lists besides its tools: without duplicates, cleaned and truncated, without icons and `_meta`. */
export async function fetchListing<L extends keyof Listings>(
  client: Client,
  listing: L,
  options: RequestOptions,
): Promise<Listings[L][]> {
  const { page, keyOf } = listers[listing];
  const found = new Map<string, Listings[L]>();
  for await (const { items } of everyPage(listing, (cursor) =>
    page(client, cursor === undefined ? {} : { cursor }, options),
  )) {
    for (const item of items) {
      const key = keyOf(item);
      if (key.length <= maxListedUriLength && !found.has(key)) found.set(key, item);
      if (found.size === maxListedItems) return [...found.values()];
    }
  }
  return [...found.values()];
}

type Cursor = { cursor?: string };
interface Lister<T> {
  page(client: Client, params: Cursor, options: RequestOptions): Promise<{ items: T[]; nextCursor?: string }>;
  keyOf(item: T): string;
}

const listers: { [L in keyof Listings]: Lister<Listings[L]> } = {
  resources: {
    async page(client, params, options) {
      if (!client.getServerCapabilities()?.resources) return { items: [] };
      const { resources, nextCursor } = await client.request({ method: 'resources/list', params }, options);
      return { items: resources.map(toResource), nextCursor };
    },
    keyOf: ({ uri }) => uri,
  },
  templates: {
    async page(client, params, options) {
      if (!client.getServerCapabilities()?.resources) return { items: [] };
      const { resourceTemplates, nextCursor } = await client.request(
        { method: 'resources/templates/list', params },
        options,
      );
      return { items: resourceTemplates.map(toTemplate), nextCursor };
    },
    keyOf: ({ uriTemplate }) => uriTemplate,
  },
  prompts: {
    async page(client, params, options) {
      if (!client.getServerCapabilities()?.prompts) return { items: [] };
      const { prompts, nextCursor } = await client.request({ method: 'prompts/list', params }, options);
      return { items: prompts.map(toPrompt), nextCursor };
    },
    keyOf: ({ name }) => name,
  },
};

const toResource = ({ uri, mimeType, size, annotations, ...named }: Resource): ListedResource => ({
  uri: cleanText(uri),
  ...cleanDescription(named),
  ...(mimeType !== undefined && { mimeType: truncate(cleanText(mimeType), maxListedNameLength) }),
  ...(size !== undefined && { size }),
  ...(annotations && { annotations: cleanJson(annotations) as JsonObject }),
});

const toTemplate = ({ uriTemplate, mimeType, annotations, ...named }: ResourceTemplateType): ListedTemplate => ({
  uriTemplate: cleanText(uriTemplate),
  ...cleanDescription(named),
  ...(mimeType !== undefined && { mimeType: truncate(cleanText(mimeType), maxListedNameLength) }),
  ...(annotations && { annotations: cleanJson(annotations) as JsonObject }),
});

const toPrompt = ({ arguments: args, ...named }: Prompt): ListedPrompt => ({
  ...cleanDescription(named),
  ...(args && {
    arguments: args.slice(0, maxArguments).map(({ required, ...each }) => ({
      ...cleanDescription(each),
      ...(required !== undefined && { required }),
    })),
  }),
});

const cleanDescription = ({ name, title, description }: { name: string; title?: string; description?: string }) => ({
  name: truncate(cleanText(name), maxListedNameLength),
  ...(title !== undefined && { title: truncate(cleanText(title), maxListedNameLength) }),
  ...(description !== undefined && { description: truncate(cleanText(description), maxListedDescriptionLength) }),
});
