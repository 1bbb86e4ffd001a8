import { waitForCall } from '../client/call-waiter.js';
import { resolveConfiguration } from '../client/configurations.js';
import type { SearchResult, ToolCall } from '../client/wire.js';
import type { CommandContext } from '../command-context.js';
import { plainLines, plainText } from '../terminal/plain-text.js';

export interface SearchOptions {
  limit: string;
  kind?: string;
  source?: string;
  container?: string;
  author?: string;
  since?: string;
  before?: string;
  configuration?: string;
  wait: boolean;
}

export async function search(
  context: CommandContext,
  words: string[],
  { limit, configuration: option, wait, kind, source, container, author, since, before }: SearchOptions,
): Promise<void> {
  const { output } = context;
  const client = await context.server();
  const configuration = await resolveConfiguration(context, client, option);
  const query = new URLSearchParams({ q: words.join(' '), configuration: configuration.id, limit });
  const filters = { kind, source, container, author, changedSince: since, changedBefore: before };
  for (const [name, value] of Object.entries(filters)) if (value !== undefined) query.set(name, value);
  const answer = await client.getJson<SearchResult | ToolCall>(`/cli/search?${query}`);
  const { passages } = 'passages' in answer ? answer : await approvedResult(context, client, answer, wait);
  output.json({ configuration: configuration.id, passages });
  if (!passages.length) return output.line('No results.');
  for (const passage of passages) {
    const { n, title, heading, snippet } = passage;
    output.line(`${output.color('bold', `[${n}] ${plainText(title)}`)}${heading ? ` · ${plainText(heading)}` : ''}`);
    output.line(`    ${plainLines(snippet).replaceAll('\n', '\n    ')}`);
    output.line(`    ${output.color('dim', plainText(origin(passage)))}`);
    for (const { title: other, source } of passage.duplicates)
      output.line(`    ${output.color('dim', `almost the same text: ${plainText(`${other} · ${source}`)}`)}`);
  }
}

function origin({ source, container, position, author, updatedAt, url }: SearchResult['passages'][number]): string {
  const changed = updatedAt && `changed ${updatedAt.slice(0, 10)}`;
  return [source, container, position, author, changed, url].filter(Boolean).join(' · ');
}

/** The policies required an approval: the result is that of the call. */
async function approvedResult(
  context: CommandContext,
  client: Awaited<ReturnType<CommandContext['server']>>,
  call: ToolCall,
  wait: boolean,
): Promise<Pick<SearchResult, 'passages'>> {
  const { result } = await waitForCall(context, client, call, { wait });
  return result!.structured as SearchResult;
}
