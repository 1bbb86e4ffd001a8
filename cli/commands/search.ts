import { waitForCall } from '../client/call-waiter.js';
import { resolveConfiguration } from '../client/configurations.js';
import type { LinkedPassage, Passage, SearchResult, ToolCall } from '../client/wire.js';
import type { CommandContext } from '../command-context.js';
import type { Output } from '../terminal/output.js';
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
  const { passages, linked } = 'passages' in answer ? answer : await approvedResult(context, client, answer, wait);
  output.json({ configuration: configuration.id, passages, linked });
  if (!passages.length) return output.line('No results.');
  for (const passage of passages)
    printPassage(
      output,
      passage,
      passage.duplicates.map(({ title, source }) => `almost the same text: ${plainText(`${title} · ${source}`)}`),
    );
  for (const passage of linked) printPassage(output, passage, [`named in [${passage.namedIn}]`]);
}

function printPassage(output: Output, passage: Passage, notes: string[]): void {
  const { n, title, heading, snippet } = passage;
  output.line(`${output.color('bold', `[${n}] ${plainText(title)}`)}${heading ? ` · ${plainText(heading)}` : ''}`);
  output.line(`    ${plainLines(snippet).replaceAll('\n', '\n    ')}`);
  for (const line of [plainText(origin(passage)), ...notes]) output.line(`    ${output.color('dim', line)}`);
}

function origin({ source, container, position, author, updatedAt, url }: Passage): string {
  const changed = updatedAt && `changed ${updatedAt.slice(0, 10)}`;
  return [source, container, position, author, changed, url].filter(Boolean).join(' · ');
}

/** The policies required an approval: the result is that of the call. */
async function approvedResult(
  context: CommandContext,
  client: Awaited<ReturnType<CommandContext['server']>>,
  call: ToolCall,
  wait: boolean,
): Promise<Pick<SearchResult, 'passages' | 'linked'>> {
  const { result } = await waitForCall(context, client, call, { wait });
  return withNumbers(result!.structured as ToolSearchResult);
}

/** The result of the tool itself, in which passages have ids instead of numbers. */
interface ToolSearchResult {
  passages: (Omit<Passage, 'n'> & { chunkId: string })[];
  linked: (Omit<LinkedPassage, 'n' | 'namedIn'> & { linkedFrom: string })[];
}

const withNumbers = ({ passages, linked }: ToolSearchResult): Pick<SearchResult, 'passages' | 'linked'> => ({
  passages: passages.map((passage, index) => ({ ...passage, n: index + 1 })),
  linked: linked.map((passage, index) => ({
    ...passage,
    n: passages.length + index + 1,
    namedIn: passages.findIndex(({ chunkId }) => chunkId === passage.linkedFrom) + 1,
  })),
});
