import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { freePort } from './free-port.js';

export const canSignIn = !/\/(nologin|false)$/.test(os.userInfo().shell ?? '');

/** The server of OpenSSH in its own process. Accepts only the key that was created for the test. */
export class SshServer {
  private constructor(
    private readonly process: ChildProcess,
    private readonly folder: string,
    readonly port: number,
  ) {}

  static async start(folder: string): Promise<SshServer> {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true }); // sshd of other users does without it
    newKey(path.join(folder, 'host'));
    newKey(path.join(folder, 'client'));
    writeFileSync(path.join(folder, 'authorized_keys'), readFileSync(path.join(folder, 'client.pub')), { mode: 0o600 });
    const port = await freePort();
    const settings = {
      ListenAddress: '127.0.0.1',
      Port: port,
      HostKey: path.join(folder, 'host'),
      AuthorizedKeysFile: path.join(folder, 'authorized_keys'),
      PasswordAuthentication: 'no',
      KbdInteractiveAuthentication: 'no',
      PermitRootLogin: 'prohibit-password',
      StrictModes: 'no',
      UsePAM: 'no',
      PidFile: 'none',
      AcceptEnv: 'GIT_PROTOCOL',
    };
    const file = path.join(folder, 'sshd_config');
    writeFileSync(
      file,
      Object.entries(settings)
        .map(([name, value]) => `${name} ${value}\n`)
        .join(''),
    );
    const child = spawn('/usr/sbin/sshd', ['-D', '-e', '-f', file], { stdio: 'ignore' });
    await once(child, 'spawn');
    const server = new SshServer(child, folder, port);
    while (!(await server.isListening())) {
      if (child.exitCode !== null) throw new Error('sshd did not start');
      await after(50);
    }
    return server;
  }

  url(repository: string): string {
    return `ssh://${os.userInfo().username}@127.0.0.1:${this.port}${repository}`;
  }

  get privateKey(): string {
    return readFileSync(path.join(this.folder, 'client'), 'utf8');
  }

  get hostKey(): string {
    return readFileSync(path.join(this.folder, 'host.pub'), 'utf8').trim();
  }

  get fingerprint(): string {
    const shown = execFileSync('ssh-keygen', ['-lf', path.join(this.folder, 'host.pub')], { encoding: 'utf8' });
    return shown.split(' ')[1];
  }

  async stop(): Promise<void> {
    if (this.process.exitCode !== null) return;
    this.process.kill('SIGTERM');
    await once(this.process, 'exit');
  }

  private async isListening(): Promise<boolean> {
    const socket = connect(this.port, '127.0.0.1');
    try {
      await once(socket, 'connect');
      return true;
    } catch {
      return false;
    } finally {
      socket.destroy();
    }
  }
}

/** Creates a key pair, by default without a passphrase. */
export function newKey(file: string, passphrase = ''): void {
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', passphrase, '-C', 'test', '-f', file]);
}
