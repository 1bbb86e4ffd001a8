import type { Client, Resource } from '@modelcontextprotocol/client';
import { sha256 } from '../platform/crypto/digest.js';
import { canonicalJson } from '../platform/json/strict-json.js';
import { UnreadableDocument } from '../connections/connections.error.js';
import type { SourceDocument } from '../connections/knowledge-source.port.js';
import { everyPage } from './mcp-pages.js';

const maxResources = 20_000;
const maxResourceBytes = 5 * 1024 * 1024;
const readableTypes = /^(text\/|application\/(json|xml|pdf|markdown|yaml|x-ndjson|[\w.-]+\+(json|xml))(;|$))/;

/** Every resource that a server lists, without duplicates. */
export async function* resourcesOf(
  listPage: (cursor?: string) => Promise<{ resources: Resource[]; nextCursor?: string }>,
): AsyncGenerator<Resource> {
  const seen = new Set<string>();
  for await (const { resources } of everyPage('resources', listPage)) {
    for (const resource of resources) {
      if (seen.has(resource.uri)) continue;
      seen.add(resource.uri);
      if (seen.size > maxResources) throw new Error(`The server lists more than ${maxResources} resources.`);
      yield resource;
    }
  }
}

/** Why a resource is skipped; null if it is not. */
export function unreadableReason({ mimeType, size }: Resource): string | null {
  if (mimeType && !readableTypes.test(mimeType)) return `the type ${mimeType} is not supported`;
  return (size ?? 0) > maxResourceBytes ? `it is larger than ${maxResourceBytes / 1024 / 1024} MiB` : null;
}

/**
 * A resource as a knowledge document. If the list names a modification time, `fingerprint` is computed from the list;
 * otherwise the resource is read at every sync.
 */
export function sourceDocumentOf(
  resource: Resource,
  read: () => Promise<string | Uint8Array>,
): Omit<SourceDocument, 'fingerprint'> & { fingerprint: string | null } {
  const { uri, name, title, mimeType, size, annotations } = resource;
  const lastModified = annotations?.lastModified;
  const updatedAt = lastModified && !Number.isNaN(Date.parse(lastModified)) ? new Date(lastModified) : undefined;
  const meta = (key: string) => nonEmptyText(resource._meta?.[`io.countersign/${key}`]);
  const shown = title ?? name ?? uri;
  return {
    externalId: uri,
    kind: documentKindOf(meta('kind'), uri, mimeType),
    title: shown.slice(0, 500),
    author: meta('author')?.slice(0, 200),
    url: [meta('url'), uri].find((url) => url !== undefined && /^https?:\/\//.test(url) && URL.canParse(url)),
    updatedAt,
    mediaType: mimeType ?? 'text/plain',
    content: read,
    fingerprint: updatedAt ? fingerprint({ uri, shown, mimeType, size, lastModified, meta: resource._meta }) : null,
  };
}

export const fingerprint = (facts: unknown): string => sha256(canonicalJson(withoutUndefined(facts))).toString('hex');
const withoutUndefined = (facts: unknown): unknown => JSON.parse(JSON.stringify(facts));

export async function readResource(
  client: Client,
  uri: string,
  signal: AbortSignal,
  timeout: number,
): Promise<string | Uint8Array> {
  const { contents } = await client.readResource({ uri }, { signal, timeout, cacheMode: 'bypass' });
  const texts = contents.flatMap((part) => ('text' in part ? [part.text] : []));
  if (texts.length) return texts.join('\n\n');
  const blob = contents.find((part) => 'blob' in part);
  if (!blob) throw new UnreadableDocument('The server lists the resource but returns no content.');
  return Buffer.from(blob.blob, 'base64');
}

const nonEmptyText = (value: unknown): string | undefined => (typeof value === 'string' && value ? value : undefined);

const sourceDocumentKinds = ['code', 'ticket', 'doc', 'message'] as const;
const kindPatterns: [RegExp, SourceDocument['kind']][] = [
  [/ticket|issue|\bbug|incident/i, 'ticket'],
  [/message|channel|chat|thread|conversation/i, 'message'],
  [/source|repo|code|\.(ts|js|py|go|java|rs|rb|c|cpp|cs|sql|sh)$/i, 'code'],
];

/** As the server declares, or else as the URI suggests. */
function documentKindOf(declaredKind: string | undefined, uri: string, mimeType = ''): SourceDocument['kind'] {
  const known = sourceDocumentKinds.find((kind) => kind === declaredKind);
  if (known) return known;
  if (/x-(python|java|c|go|rust|sh|typescript)|javascript/.test(mimeType)) return 'code';
  return kindPatterns.find(([pattern]) => pattern.test(uri))?.[1] ?? 'doc';
}
