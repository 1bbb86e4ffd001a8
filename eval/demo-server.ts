import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Browser } from '../examples/demo/browser.ts';
import { organization } from '../examples/demo/organization.ts';
import { type Child, run, start } from '../examples/demo/processes.ts';
import { RemoteAgent } from '../examples/external-agent/client.ts';

export interface Arrival {
  tool: string;
  arguments: unknown;
}

/**
 * The demo organization on a separate server: embedded Postgres, real documents, a real MCP server, the real protocol.
 */
export interface DemoServer {
  agent: RemoteAgent;
  admin: Browser;
  baseUrl: string;
  /** All tool calls that reached the workplace server, in order. */
  arrivals(): Promise<Arrival[]>;
  close(): Promise<void>;
}

const root = path.resolve(import.meta.dirname, '..');

/** Permits everything, so that a wrong call arrives instead of waiting for an approval that would be denied. */
const permitAllPolicy = '@id("everything")\npermit (principal, action, resource);\n';

export async function startDemoServer(say: (line: string) => void): Promise<DemoServer> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'countersign-eval-'));
  const children: Child[] = [];
  const close = async () => {
    for (const child of children.reverse()) await child.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const workplace = start(path.join(root, 'examples/workplace-mcp/main.ts'), ['--port', '0']);
    children.push(workplace);
    const [workplaceUrl] = await workplace.line(/http:\/\/\S+\/mcp/);
    const server = start(path.join(root, 'dist/main.js'), [], environment(folder), say);
    children.push(server);
    const [, baseUrl] = await server.line(/listens on (\S+)/);
    const [setUpLink] = await server.line(/\S+\/setup\?link=\S+/);
    const documents = path.join(root, 'examples/demo-documents');
    const made = await organization({
      baseUrl,
      setUpLink,
      workplaceUrl,
      documents,
      stateFile: path.join(folder, 'made.json'),
      vouch: async (slug, email) =>
        void (await run(path.join(root, 'dist/operator.js'), ['admin', 'vouch', email, '--organization', slug], {
          ...environment(folder),
          BASE_URL: baseUrl,
        })),
      say,
    });

    const admin = new Browser(baseUrl);
    const { email, password } = made.requester;
    await admin.submit(await admin.open(`/sign-in?organization=${made.slug}`), { email, password });
    await admin.graphql('mutation ($input: PublishPolicyInput!) { publishPolicy(input: $input) { revision } }', {
      input: { configurationId: made.configurationId, text: permitAllPolicy },
    });
    const arrivals = async () => {
      const response = await fetch(new URL('/arrivals', workplaceUrl));
      return ((await response.json()) as { arrivals: Arrival[] }).arrivals;
    };
    return { agent: new RemoteAgent(made.a2aUrl, made.key), admin, baseUrl, arrivals, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Unsets the operator's language model, which would replace `builtin`. */
const environment = (folder: string) => ({
  DATA_DIR: folder,
  PORT: '0',
  INTERNAL_PORT: '0',
  DATABASE_URL: '',
  MODEL_BASE_URL: '',
  FOLDER_ROOTS: path.join(root, 'examples/demo-documents'),
  ALLOW_PRIVATE_NETWORKS: '127.0.0.0/8',
  LOG_LEVEL: 'error',
});
