import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { BrowserContext } from 'playwright-core';
import { drawTerminal } from './terminal-svg.ts';

/* Records a session of the command line with the demo, and draws it as an SVG. */

const program = path.resolve(import.meta.dirname, '../../cli/dist/countersign.js');

interface People {
  requester: BrowserContext;
  approver: BrowserContext;
}

export async function recordCliSession(file: string, baseUrl: string, people: People): Promise<void> {
  const home = mkdtempSync(path.join(os.tmpdir(), 'countersign-session-'));
  const session = new Session(home);
  try {
    await session.run(['login', baseUrl, '--no-open'], {
      to: /code \S*?([B-Z]{4}-[B-Z]{4})/,
      react: (code) => enterCode(people.requester, baseUrl, code),
    });
    await session.run(['tools', 'ticket']);
    await session.run(['call', 'workplace__create_ticket', '-a', 'title=Recalibrate line 3'], {
      to: /\/approvals\/([0-9a-f-]{36})/,
      react: (id) => approve(people.approver, baseUrl, id),
    });
    await session.run(['search', 'security check of new software', '--limit', '1']);
    await session.run(['task', 'send', 'How many working days does the security check of new software take?']);
    writeFileSync(file, drawTerminal(session.text));
  } finally {
    rmSync(home, { recursive: true });
  }
}

async function enterCode(context: BrowserContext, baseUrl: string, code: string): Promise<void> {
  const page = await context.newPage();
  await page.goto(`${baseUrl}/device`);
  await page.getByLabel('Code from your terminal').fill(code);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('button', { name: 'Connect', exact: true }).click();
  await page.getByText('Terminal connected').first().waitFor();
  await page.close();
}

async function approve(context: BrowserContext, baseUrl: string, id: string): Promise<void> {
  const page = await context.newPage();
  await page.goto(`${baseUrl}/console/approvals/${id}`);
  await page.getByRole('button', { name: 'Approve', exact: true }).and(page.locator(':enabled')).click();
  await page.getByText('Approved').first().waitFor();
  await page.close();
}

/** What a person does in the browser once the command has printed something. */
interface Reaction {
  to: RegExp;
  /** Gets the first group of `to`. */
  react(found: string): Promise<void>;
}

class Session {
  text = '';

  private readonly home: string;

  constructor(home: string) {
    this.home = home;
  }

  async run(args: string[], reaction?: Reaction): Promise<void> {
    const shown = args.filter((arg) => arg !== '--no-open').map((arg) => (/[^\w/:.-]/.test(arg) ? `"${arg}"` : arg));
    this.text += `\u001b[1m$ countersign ${shown.join(' ')}\u001b[22m\n`;
    const child = spawn(process.execPath, [program, ...args], {
      env: { ...process.env, HOME: this.home, COUNTERSIGN_TOKEN_STORE: 'file', FORCE_COLOR: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    let reacted: Promise<void> | undefined;
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (part: string) => {
        output += part;
        const found = reacted ? null : reaction?.to.exec(output);
        if (found) reacted = reaction!.react(found[1]);
      });
    const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
    await reacted;
    if (code !== 0) throw new Error(`countersign ${args.join(' ')} ended with ${code}: ${output}`);
    this.text += `${output.replaceAll(this.home, '~')}\n`;
  }
}
