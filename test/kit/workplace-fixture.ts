import { type GraphqlRequest, anOrganization, type Organization } from './organization.js';
import { type TestServer, testServer } from './server.js';
import { Workplace } from './workplace.js';

/** A server with two organizations. The administrator of the first, `ada`, has connected it to a real workplace. */
export interface WorkplaceFixture {
  server: TestServer;
  workplace: Workplace;
  lark: Organization;
  moor: Organization;
  ada: GraphqlRequest;
  connectionId: string;
  close(): Promise<void>;
}

export async function createWorkplaceFixture(): Promise<WorkplaceFixture> {
  const [server, workplace] = await Promise.all([testServer(), Workplace.start()]);
  const lark = await anOrganization(server, { name: 'Larkmoor' });
  const moor = await anOrganization(server, { name: 'Moor' });
  const ada = await lark.as();
  const input = { kind: 'mcp', name: 'Workplace', slug: 'desk', settings: { url: workplace.url } };
  const { it } = await mutate(ada, 'createConnection', 'CreateConnectionInput', input, 'id status');
  if (it?.status !== 'connected') throw new Error(`the workplace is ${JSON.stringify(it)}`);
  const close = async () => {
    await workplace.stop();
    await server.close();
  };
  return { server, workplace, lark, moor, ada, connectionId: it.id as string, close };
}

/** Runs a mutation with an input; `it` is its result. */
export async function mutate(request: GraphqlRequest, name: string, type: string, input: object, fields = 'id') {
  const { data, code, errors } = await request(`mutation ($input: ${type}!) { ${name}(input: $input) { ${fields} } }`, {
    input,
  });
  return { it: data?.[name], code, errors };
}
