import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { ResponseBodyError, AuthorizationResponseError } from 'openid-client';
import { Ask, Countersign, type Visit } from './countersign.ts';
import * as pages from './pages.ts';

const usage = `A small web product that acts for people at Countersign, through its API.

  npm run product -- --countersign http://127.0.0.1:8080 --client <client id>

  --port <n>        listening port (default: 4180); register http://127.0.0.1:<n>/callback as redirect URI
  --secret <text>   secret of a confidential client; can also be set as CLIENT_SECRET
`;
const { values } = parseArgs({
  options: {
    countersign: { type: 'string', default: process.env.COUNTERSIGN_URL },
    client: { type: 'string', default: process.env.CLIENT_ID },
    secret: { type: 'string', default: process.env.CLIENT_SECRET },
    port: { type: 'string', default: '4180' },
  },
});
if (!values.countersign || !values.client) {
  process.stderr.write(usage);
  process.exit(64);
}

const home = `http://127.0.0.1:${values.port}`;
const countersign = await Countersign.at(values.countersign, values.client, values.secret, `${home}/callback`);
/** Held in memory: a restart signs everyone out. */
const visits = new Map<string, Visit>();

createServer((request, response) => {
  answer(request, response).catch((error: unknown) => {
    // the person declined, or an administrator has revoked access
    const isProtocolError = error instanceof AuthorizationResponseError || error instanceof ResponseBodyError;
    response.statusCode = isProtocolError ? 403 : 500;
    send(response, pages.refused(isProtocolError ? `Countersign returned: ${error.error}` : (error as Error).message));
  });
}).listen(Number(values.port), '127.0.0.1', () => process.stdout.write(`Shift board is at ${home}\n`));

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const visit = visitOf(request);
  const { pathname, search, searchParams } = new URL(request.url!, home);
  if (request.method === 'POST' && request.headers.origin !== home) return void response.writeHead(403).end();
  try {
    switch (`${request.method} ${pathname.replace(/^\/tasks\/.+/, '/tasks/:id')}`) {
      case 'GET /':
        return send(response, visit.tokens ? await overview(visit) : pages.welcome());
      case 'GET /sign-in': {
        const scope = searchParams.get('scope') ?? 'api:read';
        const there = await countersign.signIn(visit, scope);
        store(visit, response);
        return go(response, there);
      }
      case 'GET /callback':
        await countersign.signedIn(visit, search);
        store(visit, response); // under a new session id, which prevents session fixation
        return go(response, '/');
      case 'GET /tasks/:id':
        return send(response, pages.task(await countersign.task(visit, decodeURIComponent(pathname.slice(7)))));
      case 'POST /tasks': {
        const form = new URLSearchParams(await text(request));
        const [key, configuration, asked] = ['key', 'configuration', 'text'].map((name) => form.get(name) ?? '');
        const { id } = await countersign.start(visit, key, configuration, asked);
        return go(response, `/tasks/${encodeURIComponent(id)}`);
      }
      case 'POST /sign-out':
        await countersign.signOut(visit);
        return go(response, '/');
      default:
        response.statusCode = 404;
        return send(response, pages.refused('Page not found.'));
    }
  } catch (error) {
    if (!(error instanceof Ask)) throw error;
    // requests read access first, and write access only when it is needed
    go(response, `/sign-in?${new URLSearchParams({ scope: error.scope })}`);
  }
}

async function overview(visit: Visit): Promise<string> {
  const [me, configurations, tasks] = await Promise.all([
    countersign.me(visit),
    countersign.configurations(visit),
    countersign.tasks(visit),
  ]);
  return pages.home(me, configurations, tasks, randomBytes(16).toString('base64url'));
}

/** The visit of a signed-out person is only stored once they start to sign in. */
function visitOf(request: IncomingMessage): Visit {
  const id = /(?:^|; )shift-board=([\w-]+)/.exec(request.headers.cookie ?? '')?.[1];
  return (id && visits.get(id)) || {};
}

function store(visit: Visit, response: ServerResponse): void {
  for (const [id, known] of visits) if (known === visit) visits.delete(id);
  const id = randomBytes(32).toString('base64url');
  visits.set(id, visit);
  response.setHeader('set-cookie', `shift-board=${id}; Path=/; HttpOnly; SameSite=Lax`);
}

function go(response: ServerResponse, where: string | URL): void {
  response.writeHead(303, { location: String(where) }).end();
}

function send(response: ServerResponse, html: string): void {
  response.setHeader('content-type', 'text/html; charset=utf-8');
  // submitting a form can redirect to Countersign, where the person allows more
  const actions = `form-action 'self' ${new URL(values.countersign!).origin}`;
  response.setHeader('content-security-policy', `default-src 'none'; style-src 'unsafe-inline'; ${actions}`);
  response.end(html);
}
