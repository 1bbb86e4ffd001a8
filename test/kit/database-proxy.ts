import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';

/** A socket between processes and their database that can stop carrying anything, as a broken network does. */
export class DatabaseProxy {
  private readonly sockets = new Set<net.Socket>();
  private readonly server: net.Server;
  private isFrozen = false;

  static async start(databaseUrl: string): Promise<DatabaseProxy> {
    const proxy = new DatabaseProxy(databaseUrl, mkdtempSync(path.join(process.env.TEST_FOLDER!, 'proxy-')));
    proxy.server.listen(path.join(proxy.folder, '.s.PGSQL.5432'));
    await once(proxy.server, 'listening');
    return proxy;
  }

  private constructor(
    private readonly databaseUrl: string,
    private readonly folder: string,
  ) {
    const target = path.join(new URL(databaseUrl).searchParams.get('host')!, '.s.PGSQL.5432');
    this.server = net.createServer((client) => this.connect(client, net.connect(target)));
  }

  get url(): string {
    const url = new URL(this.databaseUrl);
    url.searchParams.set('host', this.folder);
    return url.toString();
  }

  freeze(): void {
    this.isFrozen = true;
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }

  private connect(client: net.Socket, database: net.Socket): void {
    for (const [from, to] of [
      [client, database],
      [database, client],
    ]) {
      this.sockets.add(from);
      from.on('error', () => undefined);
      from.on('data', (data) => this.isFrozen || to.write(data));
      from.on('close', () => this.isFrozen || to.destroy());
    }
  }
}
