import { slackSignatureOf } from '../../src/slack/slack-signature.js';
import type { TestSlackSockets } from './slack-sockets.js';
import { json, type ReceivedRequest, status, WebhookTarget } from './webhook-target.js';

export const slackSigningSecret = '0123456789abcdef0123456789abcdef';
export const slackTeam = 'T1';
const slackApp = 'A1';

interface Block {
  type: string;
  text?: { text: string };
  elements?: { action_id?: string; value?: string; text?: string | { text: string } }[];
}
/** A message as it is now: later updates replace its text and blocks. */
export interface SlackMessage {
  channel: string;
  ts: string;
  text: string;
  blocks: Block[];
  /** The blocks with which it was posted. */
  firstBlocks: Block[];
}
interface OpenedView {
  trigger_id: string;
  view: { callback_id: string; private_metadata: string };
}
export type SlackFault = 'rate-limit' | 'refuse' | 'hang';

/** Plays Slack's Web API: stores messages, ephemeral answers and dialogs, and fails on request. */
export class TestSlackServer {
  readonly messages: SlackMessage[] = [];
  readonly ephemeral: { channel: string; user: string; text: string }[] = [];
  readonly views: OpenedView[] = [];
  /** The failures of the next requests of these methods, one each. */
  readonly faults: { method: string; fault: SlackFault }[] = [];
  /** The ids of the users, by email address. */
  readonly users = new Map<string, string>();
  team = slackTeam;
  /** The app that posts. Null: an answer that does not name it. */
  app: string | null = slackApp;
  /** Socket mode. Null: it is turned off. */
  sockets: TestSlackSockets | null = null;
  private count = 0;

  private constructor(private readonly target: WebhookTarget) {
    target.answer = (response, request) => this.answer(response, request);
  }

  static async start(): Promise<TestSlackServer> {
    return new TestSlackServer(await WebhookTarget.start());
  }

  get url(): string {
    return this.target.url;
  }

  close(): Promise<void> {
    return this.target.close();
  }

  textOf({ blocks }: SlackMessage): string {
    return blocks
      .flatMap(({ text, elements }) => [
        text?.text ?? '',
        ...(elements ?? []).map((element) => (typeof element.text === 'string' ? element.text : element.text?.text)),
      ])
      .join('\n');
  }

  private answer(...[response, request]: Parameters<WebhookTarget['answer']>): void {
    const method = request.path.slice(1);
    const nth = this.faults.findIndex((one) => one.method === method);
    const [failing] = nth < 0 ? [] : this.faults.splice(nth, 1);
    if (failing?.fault === 'hang') return;
    if (failing?.fault === 'rate-limit') return status(429, { 'retry-after': '1' })(response, request);
    if (failing?.fault === 'refuse') return json({ ok: false, error: 'fatal_error' })(response, request);
    json(this.resultOf(method, request))(response, request);
  }

  private resultOf(method: string, { body, headers }: ReceivedRequest): object {
    if (method === 'apps.connections.open')
      return this.sockets?.answerTo(headers.authorization) ?? { ok: false, error: 'not_allowed' };
    if (method === 'users.lookupByEmail') {
      const id = this.users.get(new URLSearchParams(body).get('email') ?? '');
      return id ? { ok: true, user: { id } } : { ok: false, error: 'users_not_found' };
    }
    if (method === 'auth.test') return { ok: true, team_id: this.team, user_id: 'UBOT' };
    const sent = JSON.parse(body) as SlackMessage & OpenedView & { user: string };
    if (method === 'chat.postMessage') {
      // a message to a user arrives in a conversation with the app
      const channel = sent.channel.replace(/^U/, 'D');
      const ts = `1700000000.${String(++this.count).padStart(6, '0')}`;
      this.messages.push({ ...sent, channel, ts, firstBlocks: sent.blocks });
      return { ok: true, channel, ts, message: this.app === null ? {} : { app_id: this.app } };
    }
    if (method === 'chat.update') {
      const message = this.messages.find(({ channel, ts }) => channel === sent.channel && ts === sent.ts);
      if (!message) return { ok: false, error: 'message_not_found' };
      Object.assign(message, { text: sent.text, blocks: sent.blocks });
      return { ok: true, channel: sent.channel, ts: sent.ts };
    }
    if (method === 'chat.postEphemeral') this.ephemeral.push({ ...sent, text: this.textOf(sent) });
    else if (method === 'views.open') this.views.push(sent);
    else return { ok: false, error: 'unknown_method' };
    return { ok: true };
  }
}

/** Each interaction differs, so that repetitions are recognized. */
let interactions = 0;

/** Slack adds ids, and escapes text. */
export const reportedBlocks = (blocks: Block[]): Block[] =>
  (JSON.parse(JSON.stringify(blocks).replaceAll(/&|<|>/g, (sign) => entities[sign])) as Block[]).map((block, nth) => ({
    ...block,
    block_id: `b${nth}`,
  }));
const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

interface ClickOptions {
  user: string;
  /** Which button. */
  action?: 'approve' | 'deny';
  value?: string;
  team?: string;
  app?: string;
  ageSeconds?: number;
  userTeam?: string;
  channel?: string;
  ts?: string;
  /** The message as Slack reports it. */
  shown?: object;
}

/** What Slack sends when a person clicks a button of the message. */
export function clickOn(message: SlackMessage, options: ClickOptions): object {
  const {
    user,
    action = 'approve',
    team = slackTeam,
    app = slackApp,
    ageSeconds = 0,
    userTeam = team,
    channel = message.channel,
    ts = message.ts,
    shown = { type: 'message', ts, blocks: reportedBlocks(message.blocks) },
  } = options;
  const buttons = message.blocks.find(({ type }) => type === 'actions')?.elements ?? [];
  const button = buttons.find(({ action_id }) => action_id === `countersign_${action}`);
  return {
    type: 'block_actions',
    api_app_id: app,
    team: { id: team },
    user: { id: user, team_id: userTeam },
    trigger_id: `trigger.${++interactions}`,
    container: { type: 'message', channel_id: channel, message_ts: ts },
    message: shown,
    actions: [
      {
        action_id: `countersign_${action}`,
        value: options.value ?? button?.value ?? '',
        action_ts: (Date.now() / 1000 - ageSeconds).toFixed(6),
      },
    ],
  };
}

/** What Slack sends when a person submits the dialog. */
export const submissionOf = ({ view }: OpenedView, user: string, reason: string): object => ({
  type: 'view_submission',
  api_app_id: slackApp,
  trigger_id: `trigger.${++interactions}`,
  team: { id: slackTeam },
  user: { id: user, team_id: slackTeam },
  view: { ...view, state: { values: { reason: { reason: { type: 'plain_text_input', value: reason } } } } },
});

export interface SignedSlackRequest {
  method: 'POST';
  headers: Record<string, string>;
  body: string;
}

/** A request as Slack signs it. */
export function signedSlackRequest(
  payload: object,
  { secret = slackSigningSecret, ageSeconds = 0 } = {},
): SignedSlackRequest {
  const body = new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
  const timestamp = String(Math.floor(Date.now() / 1000) - ageSeconds);
  return {
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'x-slack-request-timestamp': timestamp,
      'x-slack-signature': slackSignatureOf(Buffer.from(body), timestamp, secret),
    },
    body,
  };
}
