import { ProtocolError, ProtocolErrorCode, Server, type Tool } from '@modelcontextprotocol/server';
import type { Fixture } from './fixture.ts';
import { read, resources, resourceTemplates } from './resources.ts';
import type { Shelf } from './shelf.ts';
import { state } from './state.ts';

/** A server for one request of the newest revision, or for one session of the older ones. */
export function serve(shelf: Shelf): Server {
  const server = new Server(
    { name: 'everything', version: '1.0.0' },
    {
      capabilities: {
        tools: { listChanged: true },
        prompts: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
        completions: {},
        logging: {},
      },
      requestState: { verify: state.verify },
    },
  );
  server.setRequestHandler('tools/list', () => ({ tools: Object.entries(shelf.tools).map(toolOf) }));
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const fixture = known(shelf.tools, params.name, 'tool');
    try {
      return await fixture.call({ arguments: params.arguments ?? {}, context, server, shelf });
    } catch (error) {
      return { content: [{ type: 'text', text: (error as Error).message }], isError: true };
    }
  });
  server.setRequestHandler('prompts/list', () => ({
    prompts: Object.entries(shelf.prompts).map(([name, { get: _, ...prompt }]) => ({ name, ...prompt })),
  }));
  server.setRequestHandler('prompts/get', ({ params }, context) =>
    known(shelf.prompts, params.name, 'prompt').get(params.arguments ?? {}, context),
  );
  server.setRequestHandler('resources/list', () => ({ resources }));
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates }));
  server.setRequestHandler('resources/read', ({ params }) => read(params.uri));
  server.setRequestHandler('resources/subscribe', () => ({}));
  server.setRequestHandler('resources/unsubscribe', () => ({}));
  server.setRequestHandler('completion/complete', ({ params }) => {
    const values = ['paris', 'park', 'party'].filter((value) => value.startsWith(params.argument.value));
    return { completion: { values, total: values.length, hasMore: false } };
  });
  return server;
}

function toolOf([name, { description, inputSchema }]: [string, Fixture]): Tool {
  const annotations = { readOnlyHint: true };
  return { name, description, inputSchema: inputSchema ?? { type: 'object', properties: {} }, annotations };
}

function known<T>(all: Record<string, T>, name: string, noun: string): T {
  if (!Object.hasOwn(all, name))
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no ${noun} ${name}.`);
  return all[name];
}
