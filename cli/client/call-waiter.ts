import { CommandError } from '../command-error.js';
import type { CommandContext } from '../command-context.js';
import { exitCodes } from '../exit-codes.js';
import { plainText, timeText } from '../terminal/plain-text.js';
import { Spinner } from '../terminal/spinner.js';
import { LongWaitRetry } from './retry.js';
import { exitCodeOf, type ServerClient } from './server-client.js';
import type { ToolCall } from './wire.js';

/** How long one request waits. Shorter than the time-outs of common proxies. */
const waitSeconds = 25;

/** Waits until the call ends, and returns it if it succeeded. Otherwise ends the command. */
export async function waitForCall(
  { output }: CommandContext,
  client: ServerClient,
  call: ToolCall,
  { wait }: { wait: boolean },
): Promise<ToolCall> {
  let current = call;
  let shownLink: string | null = null;
  if (isPending(current) && !wait) throw pending(client, current);
  const spinner = new Spinner(output, () =>
    output.note(`The call goes on without this command. To see its outcome: countersign call --resume ${call.id}`),
  );
  const retry = new LongWaitRetry();
  try {
    while (isPending(current)) {
      const link = current.approval && approvalUrl(client, current.approval.id);
      if (link && link !== shownLink) spinner.note(approvalNote(current.tool, link));
      shownLink = link;
      spinner.show(progressOf(current));
      current = await poll(client, current, retry);
    }
  } finally {
    spinner.stop();
  }
  if (current.state === 'succeeded') return current;
  const { code, detail } = current.error!;
  throw new CommandError(exitCodeOf(code), code, detail, { callId: current.id, state: current.state });
}

async function poll(client: ServerClient, call: ToolCall, retry: LongWaitRetry): Promise<ToolCall> {
  try {
    const polled = await client.getJson<ToolCall>(`/cli/calls/${encodeURIComponent(call.id)}?wait=${waitSeconds}`);
    retry.succeeded();
    return polled;
  } catch (error) {
    await retry.failed(error);
    return call;
  }
}

const isPending = ({ state }: ToolCall): boolean => state === 'awaiting_approval' || state === 'executing';

export const approvalUrl = ({ baseUrl }: ServerClient, id: string): string =>
  `${baseUrl}/approvals/${encodeURIComponent(id)}`;

/** The link has a line of its own, because it is long. */
export const approvalNote = (tool: string, link: string): string => `${plainText(tool)} waits for approval:\n  ${link}`;

const progressOf = ({ approval }: ToolCall): string =>
  approval ? `Waiting for a decision until ${timeText(approval.expiresAt)} UTC` : 'The call runs';

function pending(client: ServerClient, { id, state, approval }: ToolCall): CommandError {
  const url = approval ? approvalUrl(client, approval.id) : undefined;
  return new CommandError(
    exitCodes.pending,
    'pending',
    `The call ${id} ${url ? `waits for approval: ${url}` : 'is still running'}\nTo see its outcome: countersign call --resume ${id}`,
    { callId: id, state, approvalId: approval?.id, url, expiresAt: approval?.expiresAt },
  );
}
