import { resolveConfiguration } from '../client/configurations.js';
import { listAll } from '../client/pages.js';
import type { Tool } from '../client/wire.js';
import type { CommandContext } from '../command-context.js';
import type { Output } from '../terminal/output.js';
import { plainLines, plainText } from '../terminal/plain-text.js';
import { tableLines } from '../terminal/table.js';

export async function tools(
  context: CommandContext,
  words: string[],
  { configuration: option }: { configuration?: string },
): Promise<void> {
  const { output } = context;
  const client = await context.server();
  const configuration = await resolveConfiguration(context, client, option);
  const path = `/cli/configurations/${configuration.id}/tools`;
  const found = await listAll<'tools', Tool>(client, path, 'tools', words.length ? { words: words.join(' ') } : {});
  output.json({ configuration: configuration.id, tools: found });
  const named = found.find(({ name }) => words.length === 1 && name === words[0]);
  if (named) return describe(output, named);
  if (!found.length)
    return output.line(
      words.length
        ? `No tool of "${plainText(configuration.name)}" contains these words.`
        : `No tools. The policies of "${plainText(configuration.name)}" allow you none.`,
    );
  const rows = found.map((tool) => [
    output.color('bold', plainText(tool.name)),
    labels(output, tool),
    plainText(tool.title),
  ]);
  for (const line of tableLines(rows)) output.line(line);
}

function labels(output: Output, { effect, needsApproval }: Tool): string {
  const color = effect === 'read' ? 'green' : effect === 'write' ? 'yellow' : 'red';
  return output.color(color, effect) + (needsApproval ? output.color('dim', ' needs approval') : '');
}

function describe(output: Output, tool: Tool): void {
  output.line(`${output.color('bold', plainText(tool.name))}  ${labels(output, tool)}`);
  output.line(plainText(tool.title));
  if (tool.description && tool.description !== tool.title) output.line(`\n${plainLines(tool.description)}`);
  const { properties = {}, required = [] } = tool.inputSchema;
  const rows = Object.entries(properties).map(([name, { type, description = '' }]) => [
    `  ${plainText(name)}`,
    output.color('dim', plainText([type ?? 'any'].flat().join(' or '))),
    required.includes(name) ? 'required' : '',
    plainText(description),
  ]);
  output.line(rows.length ? '\nArguments:' : '\nNo arguments.');
  for (const line of tableLines(rows)) output.line(line);
}
