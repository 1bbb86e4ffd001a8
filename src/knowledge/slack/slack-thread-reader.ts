import { UnreadableDocument } from '../../connections/connections.error.js';
import type { ConnectionContext } from '../../connections/connector-registry.service.js';
import type { DocumentsContext, SourceDocument } from '../../connections/knowledge-source.port.js';
import { isSourceFault, SourceRequestError } from '../source-kit/source-request.error.js';
import { SlackNames } from './slack-names.js';
import { type SlackApiOptions, SlackSourceApi } from './slack-source-api.js';
import { isSlackRefusal } from './slack-source.error.js';
import {
  describeThread,
  fingerprintOfParent,
  fingerprintOfText,
  isWritten,
  threadIdOf,
  type ThreadPlace,
  ThreadTranscript,
} from './slack-thread.js';
import {
  type ChannelSelection,
  listChannels,
  openWorkspace,
  selectChannels,
  type SlackWorkspace,
} from './slack-workspace.js';
import { secondsOf, type SlackChannel, slackMessagesPage, type SlackSourceMessage } from './slack-wire.js';

/** Threads without new replies for this long are read again only if their first message changed. */
export const liveThreadDays = 30;
export const daySeconds = 24 * 60 * 60;

const pageSizes = { first: 500, least: 25 };
/** Slack limits apps that are distributed outside its Marketplace to this page size, and to one page a minute. */
export const restrictedPageSize = 15;
/** The maximum number of pages per thread for such an app, because a sync without progress for longer is aborted. */
const maxRestrictedPages = 3;

interface HistoryRange {
  /** Excludes earlier messages. In seconds. */
  oldest: number;
  /** Excludes this message and later ones. */
  latest?: string;
}

/** Reads threads of the selected channels. */
export class SlackThreadReader {
  private pageSize = pageSizes.first;
  private isRestricted = false;

  private constructor(
    private readonly api: SlackSourceApi,
    private readonly skipped: DocumentsContext['skipped'],
    readonly workspace: SlackWorkspace,
    readonly selection: ChannelSelection,
    readonly names: SlackNames,
    /** When this pass began, in seconds. */
    private readonly now: number,
  ) {}

  static async open(
    context: ConnectionContext & Pick<DocumentsContext, 'skipped'>,
    options: SlackApiOptions,
    now: number,
  ): Promise<SlackThreadReader> {
    const api = new SlackSourceApi(context, options);
    const workspace = await openWorkspace(api, context);
    const visible = await listChannels(api);
    const selection = selectChannels(context.settings, visible);
    return new SlackThreadReader(api, context.skipped, workspace, selection, new SlackNames(api, visible), now);
  }

  /** Pages of messages, newest first, without replies. */
  async *history({ id }: SlackChannel, { oldest, latest }: HistoryRange): AsyncGenerator<SlackSourceMessage[]> {
    for (let before = latest; ;) {
      const { messages, has_more } = await this.page('conversations.history', {
        channel: id,
        oldest: oldest.toFixed(6),
        latest: before,
        inclusive: false,
      });
      if (messages.length) yield messages;
      if (!has_more) return;
      const first = earliestOf(messages);
      if (!first || first === before)
        throw new SourceRequestError('unreadable', 'Slack announced more messages but returned none.', 200, true);
      before = first;
    }
  }

  /** Null if the thread contains no text. */
  async document(channel: SlackChannel, parent: SlackSourceMessage): Promise<SourceDocument | null> {
    const place = this.placeOf(channel);
    await this.names.loadFor([parent]);
    if (!parent.reply_count) {
      const transcript = new ThreadTranscript(place);
      transcript.add([parent]);
      return documentOf(place, parent, transcript.toString());
    }
    if (secondsOf(parent.latest_reply ?? parent.ts) >= this.now - liveThreadDays * daySeconds)
      return this.thread(channel, parent.ts);
    const described = describeThread(place, parent);
    return {
      ...described,
      content: async () => {
        const read = await this.thread(channel, parent.ts);
        if (read === null) throw new UnreadableDocument('was deleted while the sync ran');
        return read.content as string;
      },
      fingerprint: fingerprintOfParent(described.title, parent),
    };
  }

  /** Reads a message and its replies. Null if it was deleted. */
  async thread(channel: SlackChannel, ts: string): Promise<SourceDocument | null> {
    const place = this.placeOf(channel);
    const transcript = new ThreadTranscript(place);
    let parent: SlackSourceMessage | undefined;
    let pages = 0;
    try {
      for await (const messages of this.replies(channel, ts)) {
        await this.names.loadFor(messages);
        parent ??= messages.find((message) => message.ts === ts);
        transcript.add(messages);
        transcript.isCut ||= this.isRestricted && ++pages === maxRestrictedPages;
        if (transcript.isCut) break;
      }
    } catch (error) {
      if (isSlackRefusal(error, 'thread_not_found', 'message_not_found')) return null;
      throw error;
    }
    if (!parent) return null;
    if (transcript.messageCount <= parent.reply_count && transcript.isCut)
      this.skipped(
        threadIdOf(channel.id, ts),
        `contains only the first ${transcript.messageCount} messages of the thread`,
      );
    return documentOf(place, parent, transcript.toString());
  }

  private async *replies({ id }: SlackChannel, ts: string): AsyncGenerator<SlackSourceMessage[]> {
    const visited = new Set<string>();
    for (let cursor: string | undefined; ;) {
      const page = await this.page('conversations.replies', { channel: id, ts, cursor });
      yield page.messages;
      cursor = page.response_metadata?.next_cursor || undefined;
      if (!cursor) return;
      if (visited.has(cursor))
        throw new SourceRequestError('unreadable', 'Slack repeats a page of a thread.', 200, true);
      visited.add(cursor);
    }
  }

  /** Halves the page size if messages with many attachments exceed the size limit of a response. */
  private async page(
    method: 'conversations.history' | 'conversations.replies',
    query: Record<string, string | boolean | undefined>,
  ) {
    for (;;) {
      try {
        const page = await this.api.read(method, { ...query, limit: this.pageSize }, slackMessagesPage);
        this.isRestricted ||= page.has_more && page.messages.length <= restrictedPageSize;
        return page;
      } catch (error) {
        if (!isSourceFault(error, 'too-large') || this.pageSize <= pageSizes.least) throw error;
        this.pageSize = Math.max(pageSizes.least, Math.floor(this.pageSize / 2));
      }
    }
  }

  private placeOf(channel: SlackChannel): ThreadPlace {
    return { workspace: this.workspace, channel, names: this.names };
  }
}

function documentOf(place: ThreadPlace, parent: SlackSourceMessage, markdown: string): SourceDocument | null {
  if (!markdown) return null;
  const described = describeThread(place, parent);
  return { ...described, content: markdown, fingerprint: fingerprintOfText(described.title, markdown) };
}

/** Whether a message starts a document. Excludes replies that were also sent to the channel, and notices without replies. */
export const startsThread = (message: SlackSourceMessage): boolean =>
  (message.thread_ts === undefined || message.thread_ts === message.ts) &&
  (isWritten(message) || message.reply_count > 0);

const earliestOf = (messages: readonly SlackSourceMessage[]): string | undefined =>
  messages.map(({ ts }) => ts).sort((a, b) => secondsOf(a) - secondsOf(b))[0];
