import type { Client, Prompt, RequestOptions, Resource, ResourceTemplateType } from '@modelcontextprotocol/client';
import type { JsonObject } from '../../platform/json/strict-json.js';
import type { ListedPrompt, ListedResource, ListedTemplate, Listings } from '../connection-kinds.service.js';
import { clean, cleanJson } from './clean.js';
import { everyPage } from './mcp-pages.js';
import { cut } from '../../platform/text/cut.js';

const mostListed = 5000;
const longestName = 1000;
const longestAddress = 10_000;
const longestDescription = 4000;
const mostArguments = 100;

/** What a server lists beside its tools, each entry once, cleaned and cut to size; icons and private notes are left out. */
export async function listingOf<L extends keyof Listings>(
  client: Client,
  listing: L,
  options: RequestOptions,
): Promise<Listings[L][]> {
  const { page, keyOf } = listings[listing];
  const found = new Map<string, Listings[L]>();
  for await (const { items } of everyPage(listing, (cursor) =>
    page(client, cursor === undefined ? {} : { cursor }, options),
  )) {
    for (const item of items) {
      const key = keyOf(item);
      if (key.length <= longestAddress && !found.has(key)) found.set(key, item);
      if (found.size === mostListed) return [...found.values()];
    }
  }
  return [...found.values()];
}

type Cursor = { cursor?: string };
interface Lister<T> {
  page(client: Client, params: Cursor, options: RequestOptions): Promise<{ items: T[]; nextCursor?: string }>;
  keyOf(item: T): string;
}

const listings: { [L in keyof Listings]: Lister<Listings[L]> } = {
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
  uri: clean(uri),
  ...describedAs(named),
  ...(mimeType !== undefined && { mimeType: cut(clean(mimeType), longestName) }),
  ...(size !== undefined && { size }),
  ...(annotations && { annotations: cleanJson(annotations) as JsonObject }),
});

const toTemplate = ({ uriTemplate, mimeType, annotations, ...named }: ResourceTemplateType): ListedTemplate => ({
  uriTemplate: clean(uriTemplate),
  ...describedAs(named),
  ...(mimeType !== undefined && { mimeType: cut(clean(mimeType), longestName) }),
  ...(annotations && { annotations: cleanJson(annotations) as JsonObject }),
});

const toPrompt = ({ arguments: args, ...named }: Prompt): ListedPrompt => ({
  ...describedAs(named),
  ...(args && {
    arguments: args.slice(0, mostArguments).map(({ required, ...each }) => ({
      ...describedAs(each),
      ...(required !== undefined && { required }),
    })),
  }),
});

const describedAs = ({ name, title, description }: { name: string; title?: string; description?: string }) => ({
  name: cut(clean(name), longestName),
  ...(title !== undefined && { title: cut(clean(title), longestName) }),
  ...(description !== undefined && { description: cut(clean(description), longestDescription) }),
});
