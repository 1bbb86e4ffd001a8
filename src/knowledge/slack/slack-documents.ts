import { z } from 'zod';
import { CursorExpired } from '../../connections/connections.error.js';
import type {
  ChangesContext,
  DocumentsContext,
  RemovedDocument,
  SourceDocument,
} from '../../connections/knowledge-source.port.js';
import type { SlackApiOptions } from './slack-source-api.js';
import { isSlackRefusal } from './slack-source.error.js';
import { threadIdOf } from './slack-thread.js';
import { daySeconds, liveThreadDays, SlackThreadReader, startsThread } from './slack-thread-reader.js';
import { secondsOf, type SlackChannel, type SlackSourceMessage } from './slack-wire.js';

const defaultHorizonDays = 180;
/** Changes overlap, because clocks differ and messages become visible shortly after the time in their id. */
const overlapSeconds = 5 * 60;
/** The minimum time between two reads of all channels. In between, a sync with hints reads only the hinted threads. */
const pollSeconds = 10 * 60;

const passSchema = z.object({
  startedAt: z.number(),
  oldest: z.number(),
  done: z.array(z.string()),
  channel: z.string().optional(),
  latest: z.string().optional(),
});
type Pass = z.infer<typeof passSchema>;
const cursorSchema = z.object({ since: z.number(), channels: z.array(z.string()) });
const hintSchema = z.object({ channel: z.string(), thread: z.string() });

/** A complete pass over all threads that began within the horizon. */
export async function* slackDocuments(
  context: DocumentsContext,
  options: SlackApiOptions,
): AsyncGenerator<SourceDocument> {
  const pass = passOf(context);
  const reader = await SlackThreadReader.open(context, options, pass.startedAt);
  await reader.names.loadAll();
  reportLost(context, reader);
  for (const channel of reader.selection.channels) {
    if (pass.done.includes(channel.id)) continue;
    yield* orSkipped(context, channel, walkChannel(context, reader, channel, pass));
    pass.done.push(channel.id);
  }
  context.setCursor({ since: pass.startedAt, channels: reader.selection.channels.map(({ id }) => id) });
}

async function* walkChannel(
  context: DocumentsContext,
  reader: SlackThreadReader,
  channel: SlackChannel,
  pass: Pass,
): AsyncGenerator<SourceDocument> {
  const latest = pass.channel === channel.id ? pass.latest : undefined;
  for await (const messages of reader.history(channel, { oldest: pass.oldest, latest })) {
    yield* documentsOf(reader, channel, messages.filter(startsThread));
    const reached = messages.reduce((a, b) => (secondsOf(a.ts) < secondsOf(b.ts) ? a : b));
    await context.checkpoint({ ...pass, done: [...pass.done], channel: channel.id, latest: reached.ts });
  }
}

/** Changed threads since the cursor, and the threads that webhooks named. */
export async function* slackChanges(
  context: ChangesContext,
  options: SlackApiOptions,
): AsyncGenerator<SourceDocument | RemovedDocument> {
  const cursor = cursorSchema.safeParse(context.cursor);
  const now = nowSeconds();
  if (!cursor.success || now - cursor.data.since > liveThreadDays * daySeconds)
    throw new CursorExpired('The last sync is too long ago to find what changed since.');
  const { since, channels: known } = cursor.data;
  const reader = await SlackThreadReader.open(context, options, now);
  reportLost(context, reader);
  yield* hintedThreads(context, reader, horizonOf(context, now));
  if (context.hints.length && now - since < pollSeconds) return context.setCursor({ since, channels: known });
  for (const channel of reader.selection.channels) {
    const isNew = !known.includes(channel.id);
    const oldest = Math.max(horizonOf(context, now), isNew ? 0 : now - liveThreadDays * daySeconds);
    yield* orSkipped(context, channel, changedThreads(reader, channel, oldest, isNew ? 0 : since - overlapSeconds));
  }
  context.setCursor({ since: now, channels: reader.selection.channels.map(({ id }) => id) });
}

async function* changedThreads(
  reader: SlackThreadReader,
  channel: SlackChannel,
  oldest: number,
  since: number,
): AsyncGenerator<SourceDocument> {
  const isChanged = ({ ts, latest_reply, edited }: SlackSourceMessage) =>
    [ts, latest_reply, edited?.ts].some((at) => at !== undefined && secondsOf(at) >= since);
  for await (const messages of reader.history(channel, { oldest }))
    yield* documentsOf(
      reader,
      channel,
      messages.filter((message) => startsThread(message) && isChanged(message)),
    );
}

async function* hintedThreads(
  context: ChangesContext,
  reader: SlackThreadReader,
  oldest: number,
): AsyncGenerator<SourceDocument | RemovedDocument> {
  const hints = context.hints.flatMap((hint) => hintSchema.safeParse(hint).data ?? []);
  const threads = new Map(hints.map(({ channel, thread }) => [threadIdOf(channel, thread), { channel, thread }]));
  for (const [externalId, { channel: id, thread }] of threads) {
    const channel = reader.selection.channels.find((one) => one.id === id);
    if (!channel || !(secondsOf(thread) >= oldest)) continue;
    yield* orSkipped(context, channel, hintedThread(reader, channel, thread, externalId));
  }
}

async function* hintedThread(
  reader: SlackThreadReader,
  channel: SlackChannel,
  thread: string,
  externalId: string,
): AsyncGenerator<SourceDocument | RemovedDocument> {
  yield (await reader.thread(channel, thread)) ?? { removed: externalId };
}

async function* documentsOf(
  reader: SlackThreadReader,
  channel: SlackChannel,
  messages: readonly SlackSourceMessage[],
): AsyncGenerator<SourceDocument> {
  for (const message of messages) {
    const document = await reader.document(channel, message);
    if (document) yield document;
  }
}

/** If access to a channel is lost, its documents stay, but the roster gives no one access to them. */
async function* orSkipped<T>(
  context: DocumentsContext,
  channel: SlackChannel,
  work: AsyncIterable<T>,
): AsyncGenerator<T> {
  try {
    yield* work;
  } catch (error) {
    if (!isSlackRefusal(error, 'channel_not_found', 'not_in_channel')) throw error;
    context.skipped(`${channel.id}/`, lostReason);
  }
}

const lostReason =
  'is a chosen channel that the app cannot read. Its documents stay, but no one can find them. Invite the app to the channel again, or remove the channel from the selection';

function reportLost({ skipped }: DocumentsContext, { selection }: SlackThreadReader): void {
  for (const id of selection.lost) skipped(`${id}/`, lostReason);
}

function passOf(context: DocumentsContext): Pass {
  const stored = passSchema.safeParse(context.progress);
  if (stored.success) return stored.data;
  const startedAt = nowSeconds();
  return { startedAt, oldest: horizonOf(context, startedAt), done: [] };
}

const horizonOf = ({ settings }: DocumentsContext, now: number): number =>
  Math.max(
    0,
    now - (typeof settings.horizonDays === 'number' ? settings.horizonDays : defaultHorizonDays) * daySeconds,
  );

const nowSeconds = (): number => Math.floor(Date.now() / 1000);
