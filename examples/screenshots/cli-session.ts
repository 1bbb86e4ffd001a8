import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { BrowserContext } from 'playwright-core';

/* Records a session of the command line with the demo, and draws it as an SVG. */

const program = path.resolve(import.meta.dirname, '../../cli/dist/countersign.js');
const columns = 110;

interface People {
  requester: BrowserContext;
  approver: BrowserContext;
}

export async function recordCliSession(file: string, baseUrl: string, people: People): Promise<void> {
  const home = mkdtempSync(path.join(os.tmpdir(), 'countersign-session-'));
  const session = new Session(home);
  try {
    await session.run(['login', baseUrl, '--no-open'], async (output) => {
      const code = /code \S*?([B-Z]{4}-[B-Z]{4})/.exec(output)?.[1];
      if (!code) return false;
      await enterCode(people.requester, baseUrl, code);
      return true;
    });
    await session.run(['tools', 'ticket']);
    await session.run(['call', 'workplace__create_ticket', '-a', 'title=Recalibrate line 3'], async (output) => {
      const id = /\/approvals\/([0-9a-f-]{36})/.exec(output)?.[1];
      if (!id) return false;
      await approve(people.approver, baseUrl, id);
      return true;
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

class Session {
  text = '';

  constructor(private readonly home: string) {}

  /** `react` gets the output up to now, and returns true once it has done its part. */
  async run(args: string[], react: (output: string) => Promise<boolean> = async () => true): Promise<void> {
    const shown = args.filter((arg) => arg !== '--no-open').map((arg) => (/[^\w/:.-]/.test(arg) ? `"${arg}"` : arg));
    this.text += `\u001b[1m$ countersign ${shown.join(' ')}\u001b[22m\n`;
    const child = spawn(process.execPath, [program, ...args], {
      env: { ...process.env, HOME: this.home, COUNTERSIGN_TOKEN_STORE: 'file', FORCE_COLOR: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    let reaction: Promise<boolean> | undefined;
    let hasReacted = false;
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (part: string) => {
        output += part;
        if (!hasReacted) reaction = react(output).then((isDone) => (hasReacted ||= isDone));
      });
    const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
    await reaction;
    if (code !== 0) throw new Error(`countersign ${args.join(' ')} ended with ${code}: ${output}`);
    this.text += `${output.replaceAll(this.home, '~')}\n`;
  }
}

const colours: Record<string, string> = { 31: '#ff7b72', 32: '#7ee787', 33: '#e3b341' };
const [charWidth, lineHeight, margin] = [7.8, 19, 18];

function drawTerminal(text: string): string {
  const lines = text
    .trimEnd()
    .split('\n')
    .flatMap((line) => wrap(line));
  const [width, height] = [columns * charWidth + 2 * margin, lines.length * lineHeight + 2 * margin];
  const rows = lines.map(
    (line, row) =>
      `<text x="${margin}" y="${margin + (row + 0.75) * lineHeight}" xml:space="preserve">${spans(line)}</text>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${Math.ceil(width)} ${height}" role="img" aria-label="A session of the Countersign command line">
<rect width="100%" height="100%" rx="8" fill="#0d1117"/>
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="13" fill="#e6edf3">
${rows.join('\n')}
</g>
</svg>
`;
}

/** Long lines continue below, like in a terminal. */
function wrap(line: string): string[] {
  const parts = line.split(/(\u001b\[\d+m)/);
  const wrapped = [''];
  let width = 0;
  for (const part of parts) {
    if (part.startsWith('\u001b')) wrapped[wrapped.length - 1] += part;
    else
      for (const character of part) {
        if (width === columns) {
          wrapped.push('');
          width = 0;
        }
        wrapped[wrapped.length - 1] += character;
        width++;
      }
  }
  return wrapped;
}

function spans(line: string): string {
  let style = '';
  return line
    .split(/(\u001b\[\d+m)/)
    .map((part) => {
      const code = /^\u001b\[(\d+)m$/.exec(part)?.[1];
      if (code === undefined) return part && `<tspan${style}>${escapeXml(part)}</tspan>`;
      if (code === '1') style = ' font-weight="bold"';
      else if (code === '2') style = ' fill="#8b949e"';
      else style = colours[code] ? ` fill="${colours[code]}"` : '';
      return '';
    })
    .join('');
}

const escapeXml = (text: string): string =>
  text.replace(/[&<>]/g, (character) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[character]!);
