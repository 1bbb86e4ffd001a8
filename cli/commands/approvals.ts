import { listAll } from '../client/pages.js';
import type { WaitingApproval } from '../client/wire.js';
import type { CommandContext } from '../command-context.js';
import { CommandError } from '../command-error.js';
import { exitCodes } from '../exit-codes.js';
import { openInBrowser } from '../terminal/browser.js';
import { canceled, isInteractive, type Output } from '../terminal/output.js';
import { plainText, timeText } from '../terminal/plain-text.js';
import { tableLines } from '../terminal/table.js';

/** Decisions need a signed-in session in the browser: no token can decide. */
export async function approvals({ output, server }: CommandContext, { open }: { open?: boolean }): Promise<void> {
  const all = await listAll<'approvals', WaitingApproval>(await server(), '/cli/approvals', 'approvals');
  output.json({ approvals: all });
  if (!all.length) return output.line('No approvals wait for you.');
  if (open) return openApproval(output, all);
  const rows = all.map(({ tool, step, expiresAt, url }) => [
    output.color('bold', plainText(tool)),
    plainText(step),
    untilText(expiresAt),
    plainText(url),
  ]);
  for (const line of tableLines(rows)) output.line(line);
}

async function openApproval(output: Output, all: WaitingApproval[]): Promise<void> {
  const { url } = all.length === 1 || !isInteractive(output) ? all[0] : await askFor(all);
  if (await openInBrowser(url)) return output.line(`Opened ${plainText(url)}`);
  throw new CommandError(exitCodes.failure, 'no-browser', `No browser could be started. Open ${url}`);
}

async function askFor(all: WaitingApproval[]): Promise<WaitingApproval> {
  const { isCancel, select } = await import('@clack/prompts');
  const options = all.map((one) => ({
    value: one,
    label: `${plainText(one.tool)}  ${untilText(one.expiresAt)}`, // often the same tool several times
    hint: plainText(one.step),
  }));
  const chosen = await select({ message: 'Which approval?', options, output: process.stderr });
  if (isCancel(chosen)) throw canceled();
  return chosen;
}

const untilText = (expiresAt: string): string => `until ${timeText(expiresAt)} UTC`;
