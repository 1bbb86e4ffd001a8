import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { text as readAll } from 'node:stream/consumers';
import { waitForCall } from '../client/call-waiter.js';
import { resolveConfiguration } from '../client/configurations.js';
import { listAll } from '../client/pages.js';
import { sendUntilAnswered } from '../client/retry.js';
import type { ServerClient } from '../client/server-client.js';
import type { Tool, ToolCall, ToolResultContent } from '../client/wire.js';
import type { CommandContext } from '../command-context.js';
import { CommandError } from '../command-error.js';
import { exitCodes } from '../exit-codes.js';
import type { Output } from '../terminal/output.js';
import { jsonText, plainLines, plainText } from '../terminal/plain-text.js';
import { argumentsText } from './call-arguments.js';

export interface CallOptions {
  arg?: string[];
  input?: string;
  configuration?: string;
  wait: boolean;
  resume?: string;
}

export async function call(context: CommandContext, tool: string | undefined, options: CallOptions): Promise<void> {
  const { resume, wait } = options;
  if ((tool === undefined) === (resume === undefined))
    throw usage(tool === undefined ? 'Name the tool to call.' : '--resume takes no tool: the call has one already.');
  const client = await context.server();
  const started = tool === undefined ? await findCall(client, resume!) : await start(context, client, tool, options);
  showCall(context.output, await waitForCall(context, client, started, { wait }));
}

const findCall = (client: ServerClient, id: string): Promise<ToolCall> =>
  client.getJson(`/cli/calls/${encodeURIComponent(id)}`);

async function start(
  context: CommandContext,
  client: ServerClient,
  tool: string,
  { arg = [], input, configuration: option }: CallOptions,
): Promise<ToolCall> {
  if (arg.length && input !== undefined) throw usage('Give the arguments either with --arg or with --input.');
  const given = input === undefined ? null : await readInput(input);
  const { id } = await resolveConfiguration(context, client, option);
  const text = given ?? argumentsText(arg, await schemaOf(client, id, tool, arg));
  const path = `/cli/configurations/${id}/tools/${encodeURIComponent(tool)}/calls`;
  // the key makes sure that the call happens once, however often the request is sent
  const headers = { 'idempotency-key': randomUUID() };
  return sendUntilAnswered(() => client.postText<ToolCall>(path, `{"arguments":${text}}`, headers));
}

/** The text is sent as it is, so that nothing changes between the file and the approver. */
async function readInput(input: string): Promise<string> {
  const text = await (input === '-' ? readAll(process.stdin) : readFile(input, 'utf8')).catch((error: Error) => {
    throw usage(`${input} cannot be read: ${error.message}`);
  });
  const value = parse(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw usage('The input has to be a JSON object with the arguments.');
  return text;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw usage(`The input is not JSON: ${(error as Error).message}`);
  }
}

/** Only a value without a type (name=value) needs the schema. */
async function schemaOf(client: ServerClient, configurationId: string, name: string, args: string[]) {
  if (!args.some((arg) => /^[^:=]*=/.test(arg))) return {};
  const path = `/cli/configurations/${configurationId}/tools`;
  const found = await listAll<'tools', Tool>(client, path, 'tools', { words: name });
  return found.find((tool) => tool.name === name)?.inputSchema ?? {};
}

function showCall(output: Output, call: ToolCall): void {
  output.json(call);
  const { result, edit, replayed } = call;
  if (replayed) output.note('The same call was made before: this is its outcome, and nothing was executed again.');
  if (edit)
    output.note(
      `${plainText(edit.editedBy.join(', '))} changed the arguments before approving: ${jsonText(edit.arguments)}`,
    );
  const content = result?.content ?? [];
  for (const part of content) output.line(contentText(part));
  if (!content.length && result?.structured != null) output.line(jsonText(result.structured, 2));
  if (result?.url) output.note(plainText(result.url));
}

function contentText({ type, text, mimeType, uri }: ToolResultContent): string {
  if (type === 'text') return plainLines(text ?? '');
  return plainText(`[${[type, mimeType, uri].filter(Boolean).join(' ')}: with --json]`);
}

const usage = (message: string): CommandError => new CommandError(exitCodes.usage, 'invalid-usage', message);
