import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';

/** When to kill a process at one of its commits. */
export interface CommitFault {
  /** The number of the commit, counted from 1. */
  at: number;
  /** `before`: the COMMIT never reaches the database. `after`: it does, but the reply never reaches the process. */
  when: 'before' | 'after';
  kill(): Promise<void>;
}

/**
 * A proxy between server processes and their database that can kill a process at any commit. It watches only
 * connections with one application name and passes the others through.
 */
export class CommitWatch {
  /** Since it was armed. */
  commits = 0;
  private fault?: CommitFault;
  private onTriggered?: () => void;
  private readonly sockets = new Set<net.Socket>();

  static async start(databaseUrl: string, applicationName: string): Promise<CommitWatch> {
    const folder = mkdtempSync(path.join(process.env.TEST_FOLDER!, 'watch-'));
    const target = new URL(databaseUrl).searchParams.get('host')!;
    const watch = new CommitWatch(databaseUrl, folder, path.join(target, '.s.PGSQL.5432'), applicationName);
    watch.server.listen(path.join(folder, '.s.PGSQL.5432'));
    await once(watch.server, 'listening');
    return watch;
  }

  private readonly server: net.Server;

  private constructor(
    private readonly databaseUrl: string,
    private readonly folder: string,
    target: string,
    private readonly applicationName: string,
  ) {
    this.server = net.createServer((client) => this.connect(client, net.connect(target)));
  }

  /** The database URL for watched processes. */
  get url(): string {
    const url = new URL(this.databaseUrl);
    url.searchParams.set('host', this.folder);
    return url.toString();
  }

  /** Resolves when the process has exited. */
  arm(ambush: CommitFault): Promise<void> {
    this.commits = 0;
    this.fault = ambush;
    return new Promise((resolve) => (this.onTriggered = resolve));
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }

  private connect(client: net.Socket, database: net.Socket): void {
    for (const socket of [client, database]) {
      this.sockets.add(socket);
      socket.on('error', () => undefined);
    }
    client.on('close', () => database.destroy());
    database.on('close', () => client.destroy());
    const frames = new PgMessageParser();
    let isCut = false;
    client.on('data', (data: Buffer) => {
      const commits = frames.push(data) && frames.application === this.applicationName;
      if (!commits || !this.isNext()) return database.write(data);
      const { when } = this.fault!;
      isCut = true;
      if (when === 'before') return this.trigger();
      database.once('data', () => this.trigger());
      return database.write(data);
    });
    database.on('data', (data: Buffer) => isCut || client.write(data));
  }

  private isNext(): boolean {
    this.commits += 1;
    return this.commits === this.fault?.at;
  }

  private trigger(): void {
    const { kill } = this.fault!;
    this.fault = undefined;
    void kill().then(() => this.onTriggered?.());
  }
}

/** Parses messages of a PostgreSQL client: one message without a type, then type, length, content. */
class PgMessageParser {
  application?: string;
  private rest = Buffer.alloc(0);
  private hasBegun = false;

  /** Returns whether the data contains a COMMIT. */
  push(data: Buffer): boolean {
    let hasCommit = false;
    this.rest = Buffer.concat([this.rest, data]);
    for (;;) {
      const at = this.hasBegun ? 1 : 0;
      if (this.rest.length < at + 4) return hasCommit;
      const length = this.rest.readInt32BE(at) + at;
      if (this.rest.length < length) return hasCommit;
      const [type, content] = [this.rest[0], this.rest.subarray(at + 4, length)];
      this.rest = this.rest.subarray(length);
      if (!this.hasBegun) this.begin(content.toString('latin1'));
      else if (isStatement(type)) hasCommit ||= /^\0?commit\0/i.test(content.toString('latin1', 0, 20));
    }
  }

  private begin(startup: string): void {
    this.hasBegun = true;
    const words = startup.split('\0');
    this.application = words[words.indexOf('application_name') + 1];
  }
}

/** A Query or Parse message. */
const isStatement = (type: number) => type === 0x51 || type === 0x50;
