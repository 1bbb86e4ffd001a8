import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { answerWithGit } from '../git-http-backend.ts';
import { SimulatedRefusal } from '../http-simulator.ts';
import type { GithubCredentials } from './github-credentials.ts';
import type { GithubRepository } from './github-data.ts';
import type { GithubWorld } from './github-world.ts';

const addressOfWiki = /^\/([^/]+)\/([^/]+)\.wiki\.git(\/.+)$/;
const branch = 'refs/heads/master';

/** The wikis of repositories, as git repositories over HTTP. They do not exist before their first page. */
export class GithubWikis {
  /** The requests of git. */
  readonly requests: string[] = [];
  private root: string | undefined;
  private readonly world: GithubWorld;
  private readonly credentials: GithubCredentials;

  constructor(world: GithubWorld, credentials: GithubCredentials) {
    this.world = world;
    this.credentials = credentials;
  }

  /** Commits pages, by file name. Null deletes one. */
  write(repository: GithubRepository, pages: Record<string, string | null>): void {
    const folder = this.folderOf(repository);
    const isNew = !existsSync(folder);
    if (isNew) git(['init', '--quiet', '--bare', '--initial-branch=master', folder]);
    const seconds = Math.floor(this.world.now() / 1000);
    const lines = [`commit ${branch}`, `committer Olga <olga@acme.example> ${seconds} +0000`, 'data 4', 'wiki'];
    if (!isNew) lines.push(`from ${branch}^0`);
    for (const [name, content] of Object.entries(pages))
      if (content === null) lines.push(`D "${name}"`);
      else lines.push(`M 100644 inline "${name}"`, `data ${Buffer.byteLength(content)}`, content);
    git([`--git-dir=${folder}`, 'fast-import', '--quiet', '--force'], `${lines.join('\n')}\n`);
    git([`--git-dir=${folder}`, 'config', 'uploadpack.allowFilter', 'true']);
    this.world.onEvent({ event: 'gollum', repository });
  }

  /** Commits a tree that git refuses to receive, because it contains a file with the name ".git". */
  damage(repository: GithubRepository): void {
    const run = (args: readonly string[], input = '') =>
      git([`--git-dir=${this.folderOf(repository)}`, ...args], input);
    const blob = run(['hash-object', '-w', '--stdin'], 'Text.');
    const tree = run(['mktree'], `100644 blob ${blob}\t.git\n`);
    const author = ['-c', 'user.name=Olga', '-c', 'user.email=olga@acme.example'];
    run(['update-ref', branch, run([...author, 'commit-tree', '-m', 'wiki', tree])]);
  }

  /** Without an event, as GitHub. */
  delete(repository: GithubRepository): void {
    rmSync(this.folderOf(repository), { recursive: true, force: true });
  }

  /** True if the request is for a wiki. */
  serve(request: IncomingMessage, response: ServerResponse): boolean {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1');
    const [, owner, name, rest] = addressOfWiki.exec(pathname) ?? [];
    if (!owner) return false;
    this.requests.push(`${request.method} ${pathname}`);
    void this.answer(request, response, { owner, name, rest, query: searchParams.toString() });
    return true;
  }

  stop(): void {
    if (this.root) rmSync(this.root, { recursive: true, force: true });
  }

  private async answer(
    request: IncomingMessage,
    response: ServerResponse,
    { owner, name, rest, query }: { owner: string; name: string; rest: string; query: string },
  ): Promise<void> {
    const body = await buffer(request);
    const repository = this.world.findRepository(owner, name);
    const status = this.statusFor(request.headers.authorization, repository);
    if (status === 401) response.setHeader('www-authenticate', 'Basic realm="GitHub"');
    if (status !== 200) return void response.writeHead(status).end('Repository not found.');
    const pathname = `/${path.basename(this.folderOf(repository!))}${rest}`;
    answerWithGit(request, response, { root: this.home, pathname, query, body });
  }

  private statusFor(authorization: string | undefined, repository: GithubRepository | undefined): number {
    const basic = /^Basic (\S+)$/.exec(authorization ?? '')?.[1];
    if (!basic) return 401;
    const [, password] = Buffer.from(basic, 'base64').toString().split(':');
    try {
      const actor = this.credentials.actorOf(`Bearer ${password}`);
      if (!repository || !this.credentials.canSee(actor, repository)) return 404;
      if (actor.permissions.contents === undefined) return 403;
    } catch (error) {
      if (error instanceof SimulatedRefusal) return 401;
      throw error;
    }
    return repository.hasWiki && existsSync(this.folderOf(repository)) ? 200 : 404;
  }

  private get home(): string {
    return (this.root ??= mkdtempSync(path.join(os.tmpdir(), 'github-wikis-')));
  }

  private folderOf({ id }: GithubRepository): string {
    return path.join(this.home, `${id}.wiki.git`);
  }
}

function git(args: readonly string[], input = ''): string {
  const env = { PATH: process.env.PATH, HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1', LC_ALL: 'C' };
  return execFileSync('git', args, { input, env, stdio: 'pipe', encoding: 'utf8' }).trim();
}
