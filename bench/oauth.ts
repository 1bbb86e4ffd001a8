import { createHash, randomBytes } from 'node:crypto';
import path from 'node:path';
import { Agent, request } from 'undici';
import { type Child, start } from './child.ts';
import { type DatabaseEnvironment, onDatabase } from './database.ts';
import { median, type Measured, run } from './load.ts';
import { machine, type Options, type Report, type Row } from './report.ts';

/*
 * The token flow of a product, with this server on Postgres and with a bare oidc-provider that stores everything in
 * memory, in the same run. The authorization codes are created beforehand; only the token endpoint is measured.
 */

/** The URLs of a server, and a client that needs no consent prompt. */
interface Server {
  authorize: string;
  token: string;
  clientId: string;
  redirectUri: string;
  /** The session cookie of the person. */
  cookie: string;
  me?: string;
}

const callers = 32;
const dispatcher = new Agent({ connections: callers });
const codesPerSecond = 1200;
const file = (name: string) => path.join(import.meta.dirname, name);

/** The default limits are per client and address, for one product; the generator simulates many. */
const raised = { LIMIT_TOKENS_PER_MINUTE: '100000000', LIMIT_READS_PER_MINUTE: '100000000' };

export const oauth = (options: Options): Promise<Report> =>
  onDatabase((environment) => measureOn(environment, options));

async function measureOn(environment: DatabaseEnvironment, { seconds, runs, say }: Options): Promise<Report> {
  let ours: Child<Server> | undefined;
  let peer: Child<Server> | undefined;
  try {
    ours = await start<Server>(file('oauth-ours.ts'), [], {
      ...environment,
      ...raised,
    });
    peer = await start<Server>(file('oauth-peer.ts'), []);
    const rows: Row[] = [];
    for (const [what, measure] of [
      ['code → token', redeem],
      ['refresh', refresh],
    ] as const) {
      const [own, bare] = [await repeat(ours.output, measure), await repeat(peer.output, measure)];
      say(`${what}: ours ${Math.round(own.perSecond)}/s, bare oidc-provider ${Math.round(bare.perSecond)}/s`);
      const ratio = own.perSecond / bare.perSecond;
      rows.push({
        what,
        ours: own.perSecond,
        peer: bare.perSecond,
        ratio,
        p50: own.p50,
        p99: own.p99,
        goal: '≥ 0.25×',
        met: ratio >= 0.25,
      });
    }
    rows.push(await guarded(ours.output));
    return { name: 'oauth', machine: machine(), rows };
  } finally {
    await peer?.stop();
    await ours?.stop();
  }

  async function repeat(server: Server, measure: typeof redeem): Promise<Measured> {
    await measure(server, Math.min(2, seconds)); // warm-up
    const measured: Measured[] = [];
    for (let i = 0; i < runs; i++) measured.push(await measure(server, seconds));
    return median(measured);
  }

  async function guarded(server: Server): Promise<Row> {
    const { access_token } = await exchange(server, await newCode(server));
    const load = { url: server.me!, headers: { Authorization: `Bearer ${access_token}` } };
    await run(load, Math.min(2, seconds));
    const measured: Measured[] = [];
    for (let i = 0; i < runs; i++) measured.push(await run(load, seconds));
    const { perSecond, p50, p99 } = median(measured);
    const met = perSecond >= 2500 && p99 <= 60;
    return {
      what: 'guarded /v1/me',
      ours: perSecond,
      peer: null,
      ratio: null,
      p50,
      p99,
      goal: '≥ 2,500/s, p99 ≤ 60 ms',
      met,
    };
  }
}

interface Code {
  code: string;
  verifier: string;
}
interface Tokens {
  access_token: string;
  refresh_token: string;
}

/** Creates enough codes for the whole measurement before it starts. */
async function redeem(server: Server, seconds: number): Promise<Measured> {
  const codes: Code[] = [];
  await inParallel(
    Array.from({ length: Math.ceil(codesPerSecond * seconds) }),
    async () => void codes.push(await newCode(server)),
  );
  return timed(codes, (code) => exchange(server, code));
}

/** Each caller repeatedly exchanges its own refresh token. */
async function refresh(server: Server, seconds: number): Promise<Measured> {
  const tokens = await Promise.all(
    Array.from({ length: callers }, async () => (await exchange(server, await newCode(server))).refresh_token),
  );
  const until = performance.now() + seconds * 1000;
  const taken: number[] = [];
  const since = performance.now();
  await Promise.all(
    tokens.map(async (first) => {
      for (let token = first; performance.now() < until;) {
        const before = performance.now();
        token = (await post(server, { grant_type: 'refresh_token', refresh_token: token })).refresh_token;
        taken.push(performance.now() - before);
      }
    }),
  );
  return summary(taken, performance.now() - since);
}

async function newCode(server: Server): Promise<Code> {
  const verifier = randomBytes(32).toString('base64url');
  const address = new URL(server.authorize);
  address.search = new URLSearchParams({
    response_type: 'code',
    client_id: server.clientId,
    redirect_uri: server.redirectUri,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    scope: 'api:read',
  }).toString();
  const jar = new Map<string, string>();
  for (let next = address; ;) {
    const cookie = [server.cookie, ...[...jar].map(([name, value]) => `${name}=${value}`)].filter(Boolean).join('; ');
    const { statusCode, headers, body } = await request(next, { headers: { cookie }, dispatcher });
    await body.dump();
    for (const line of [headers['set-cookie'] ?? []].flat()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
      jar.set(name, value);
    }
    const location = headers.location as string | undefined;
    if (!location) throw new Error(`${next.pathname} returned ${statusCode} without a redirect`);
    next = new URL(location, next);
    const code = next.searchParams.get('code');
    if (code) return { code, verifier };
  }
}

const exchange = (server: Server, { code, verifier }: Code): Promise<Tokens> =>
  post(server, { grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: server.redirectUri });

async function post(server: Server, form: Record<string, string>): Promise<Tokens> {
  const { statusCode, body } = await request(server.token, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ client_id: server.clientId, ...form }).toString(),
    dispatcher,
  });
  if (statusCode !== 200) throw new Error(`the token endpoint answered ${statusCode}: ${await body.text()}`);
  return (await body.json()) as Tokens;
}

async function timed<T>(items: T[], work: (item: T) => Promise<unknown>): Promise<Measured> {
  const taken: number[] = [];
  const since = performance.now();
  await inParallel(items, async (item) => {
    const before = performance.now();
    await work(item);
    taken.push(performance.now() - before);
  });
  return summary(taken, performance.now() - since);
}

async function inParallel<T>(items: T[], work: (item: T) => Promise<void>): Promise<void> {
  const rest = items.values();
  await Promise.all(
    Array.from({ length: callers }, async () => {
      for (const item of rest) await work(item);
    }),
  );
}

function summary(taken: number[], milliseconds: number): Measured {
  const sorted = taken.sort((a, b) => a - b);
  const at = (share: number) => Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]);
  return { perSecond: (sorted.length / milliseconds) * 1000, p50: at(0.5), p99: at(0.99) };
}
