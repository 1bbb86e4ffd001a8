import { type ReadResourceResult, type Resource, ResourceNotFoundError } from '@modelcontextprotocol/server';
import { png } from './media.ts';

type Contents = ReadResourceResult['contents'][number];

const data = /^test:\/\/template\/([^/]+)\/data$/;
const fixtures: (Resource & { contents: Contents })[] = [
  {
    uri: 'test://static-text',
    name: 'static-text',
    description: 'A text.',
    mimeType: 'text/plain',
    contents: {
      uri: 'test://static-text',
      mimeType: 'text/plain',
      text: 'This is the content of the static text resource.',
    },
  },
  {
    uri: 'test://static-binary',
    name: 'static-binary',
    description: 'A picture.',
    mimeType: 'image/png',
    contents: { uri: 'test://static-binary', mimeType: 'image/png', blob: png },
  },
  {
    uri: 'test://watched-resource',
    name: 'watched-resource',
    description: 'A text that can be watched.',
    mimeType: 'text/plain',
    contents: { uri: 'test://watched-resource', mimeType: 'text/plain', text: 'It has not changed.' },
  },
];

export const resources: Resource[] = fixtures.map(({ contents: _, ...resource }) => resource);

export const resourceTemplates = [
  {
    uriTemplate: 'test://template/{id}/data',
    name: 'template-data',
    description: 'The data of an id.',
    mimeType: 'application/json',
  },
];

/** Throws ResourceNotFoundError. */
export function read(uri: string): ReadResourceResult {
  const fixture = fixtures.find((one) => one.uri === uri);
  if (fixture) return { contents: [fixture.contents] };
  const id = data.exec(uri)?.[1];
  if (!id) throw new ResourceNotFoundError(uri);
  const body = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` });
  return { contents: [{ uri, mimeType: 'application/json', text: body }] };
}
