import fs from 'node:fs/promises';
import { loginStore } from '../client/login-store.js';
import { fetchServerVersion } from '../client/server-version.js';
import type { Terminal } from '../client/wire.js';
import type { CommandContext } from '../command-context.js';
import { CommandError } from '../command-error.js';
import { type ExitCode, exitCodes } from '../exit-codes.js';
import { plainText } from '../terminal/plain-text.js';
import { cliVersion } from '../version.js';

interface Check {
  name: string;
  isOk: boolean;
  detail: string;
  exitCode?: ExitCode;
}

const oldestNode = [20, 12];
/** Tokens and codes expire by the clock of the server; a larger difference makes their times wrong. */
const maxClockDifferenceMs = 60_000;

/** Each check that fails ends those that depend on it. */
export async function doctor(context: CommandContext): Promise<void> {
  const { output } = context;
  const checks: Check[] = [];
  for await (const check of run(context)) {
    checks.push(check);
    const mark = check.isOk ? output.color('green', '✓') : output.color('red', '✗');
    output.line(`${mark} ${check.name}: ${plainText(check.detail)}`);
  }
  output.json({ checks: checks.map(({ name, isOk, detail }) => ({ name, ok: isOk, detail })) });
  const failed = checks.find(({ isOk }) => !isOk);
  if (failed)
    throw new CommandError(failed.exitCode ?? exitCodes.failure, 'check-failed', `${failed.name}: ${failed.detail}`);
}

async function* run(context: CommandContext): AsyncGenerator<Check> {
  yield { name: 'Command line', isOk: true, detail: `version ${cliVersion}` };
  yield checkNode();
  yield await checkLoginFile();
  const address = await attempt('Server', () => context.serverUrl());
  if ('check' in address) return yield address.check;
  const version = await attempt('Server', () => fetchServerVersion(address.value));
  if ('check' in version) return yield version.check;
  yield { name: 'Server', isOk: true, detail: `${address.value}, version ${version.value.version}` };
  yield checkClock(version.value.time);
  const terminal = await attempt('Sign-in', async () => (await context.server()).getJson<Terminal>('/cli/whoami'));
  if ('check' in terminal) return yield terminal.check;
  const { member, organization } = terminal.value;
  yield { name: 'Sign-in', isOk: true, detail: `${member.name} (${member.email}) at ${organization.name}` };
}

async function attempt<T>(name: string, work: () => Promise<T>): Promise<{ value: T } | { check: Check }> {
  try {
    return { value: await work() };
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return { check: { name, isOk: false, detail: error.message, exitCode: error.exitCode } };
  }
}

function checkNode(): Check {
  const [major, minor] = process.versions.node.split('.').map(Number);
  const isOk = major > oldestNode[0] || (major === oldestNode[0] && minor >= oldestNode[1]);
  const needed = isOk ? '' : `, but ${oldestNode.join('.')} or newer is needed`;
  return { name: 'Node', isOk, detail: `version ${process.versions.node}${needed}` };
}

async function checkLoginFile(): Promise<Check> {
  const name = 'Stored login';
  const stat = await fs.stat(loginStore.path()).catch((error: NodeJS.ErrnoException) => error);
  if (stat instanceof Error) {
    const isMissing = stat.code === 'ENOENT' || stat.code === 'ENOTDIR';
    return { name, isOk: isMissing, detail: isMissing ? 'none yet' : `cannot be read (${stat.message})` };
  }
  const isPrivate = process.platform === 'win32' || (stat.mode & 0o077) === 0;
  return {
    name,
    isOk: isPrivate,
    detail: isPrivate ? loginStore.path() : `others can read ${loginStore.path()}: run chmod 600 on it`,
  };
}

function checkClock(serverTime: string): Check {
  const seconds = Math.round((Date.now() - Date.parse(serverTime)) / 1000);
  const isOk = Math.abs(seconds) * 1000 <= maxClockDifferenceMs;
  return {
    name: 'Clock',
    isOk,
    detail: isOk
      ? 'agrees with the server'
      : `${Math.abs(seconds)} seconds ${seconds > 0 ? 'ahead of' : 'behind'} the server`,
  };
}
