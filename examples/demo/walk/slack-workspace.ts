import { createHmac, randomBytes } from 'node:crypto';
import { escaped, htmlPage, LocalServer } from './local-server.ts';
import { waitFor } from './wait-for.ts';

interface Block {
  type: string;
  text?: { text: string };
  elements?: { action_id?: string; value?: string; text?: string | { text: string } }[];
}
interface Message {
  channel: string;
  ts: string;
  text: string;
  blocks: Block[];
}
interface View {
  callback_id: string;
  private_metadata: string;
}
type Decision = 'approve' | 'deny';

const team = 'T1';

/**
 * Plays Slack: the methods of its Web API that Countersign uses, and a page with the messages, on which one person can
 * press their buttons. It signs what it sends as Slack does.
 */
export class SlackWorkspace {
  readonly token = 'xoxb-demo';
  readonly channel = 'C1';
  readonly signingSecret = randomBytes(16).toString('hex');
  /** Where clicks are sent: what an administrator enters under “Interactivity” in the settings of the app. */
  requestUrl = '';
  private readonly messages: Message[] = [];
  private readonly answers: string[] = [];
  private dialog: View | undefined;
  private count = 0;
  private readonly person: { id: string; name: string; email: string };
  private server: LocalServer;

  private constructor(person: { id: string; name: string; email: string }) {
    this.person = person;
  }

  /** `person` is signed in to Slack. */
  static async start(port: number, person: { name: string; email: string }): Promise<SlackWorkspace> {
    const workspace = new SlackWorkspace({ id: 'UGRACE', ...person });
    workspace.server = await LocalServer.start(port, ({ method, path, body }) => {
      if (path.startsWith('/api/')) return Response.json(workspace.call(path.slice('/api/'.length), body));
      return method === 'POST' ? workspace.submit(path, new URLSearchParams(body)) : workspace.show();
    });
    return workspace;
  }

  get url(): string {
    return this.server.url;
  }

  get apiUrl(): string {
    return `${this.url}/api`;
  }

  /** The code with which the person links their account. */
  linkCode(): Promise<string> {
    return waitFor('The code to link the Slack account', () =>
      this.messages
        .filter(({ channel }) => channel === this.person.id)
        .map((message) => /Code: (\w{8})/.exec(textOf(message))?.[1])
        .find(Boolean),
    );
  }

  /** The message with buttons for an approval. */
  messageOn(approvalId: string): Promise<Message> {
    const isAbout = ({ blocks }: Message) => JSON.stringify(blocks).includes(approvalId);
    return waitFor('The message in Slack', () =>
      this.messages.find((message) => isAbout(message) && buttonsOf(message).length > 0),
    );
  }

  /** What Slack sends when the person presses a button. `secret` differs for a forged request. */
  press({ ts, channel, blocks }: Message, decision: Decision, secret?: string): Promise<Response> {
    const button = buttonsOf({ blocks }).find(({ action_id }) => action_id === `countersign_${decision}`);
    if (!button) throw new Error('The message has no such button.');
    const click = {
      type: 'block_actions',
      container: { type: 'message', channel_id: channel, message_ts: ts },
      message: { type: 'message', ts, blocks },
      actions: [{ action_id: button.action_id, value: button.value }],
    };
    return this.send(click, secret);
  }

  close(): Promise<void> {
    return this.server.close();
  }

  private call(method: string, body: string): object {
    if (method === 'auth.test') return { ok: true, team_id: team, user_id: 'UBOT' };
    if (method === 'users.lookupByEmail') {
      const isPerson = new URLSearchParams(body).get('email') === this.person.email;
      return isPerson ? { ok: true, user: { id: this.person.id } } : { ok: false, error: 'users_not_found' };
    }
    const sent = JSON.parse(body) as Message & { view: View };
    if (method === 'chat.postMessage') {
      const ts = `1700000000.${String(++this.count).padStart(6, '0')}`;
      this.messages.push({ channel: sent.channel, ts, text: sent.text, blocks: sent.blocks });
      return { ok: true, channel: sent.channel, ts };
    }
    if (method === 'chat.update') {
      const message = this.messages.find(({ channel, ts }) => channel === sent.channel && ts === sent.ts);
      if (message) Object.assign(message, { text: sent.text, blocks: sent.blocks });
      return message ? { ok: true, channel: sent.channel, ts: sent.ts } : { ok: false, error: 'message_not_found' };
    }
    if (method === 'chat.postEphemeral') this.answers.push(textOf(sent));
    else if (method === 'views.open') this.dialog = sent.view;
    else return { ok: false, error: 'unknown_method' };
    return { ok: true };
  }

  /** A form of the page: a button of a message, or the dialog that asks for a reason. */
  private async submit(path: string, form: URLSearchParams): Promise<Response> {
    const message = this.messages.find(({ ts }) => ts === form.get('ts'));
    if (path === '/press' && message) await this.press(message, form.get('decision') as Decision);
    if (path === '/reason' && this.dialog) {
      const reason = { type: 'plain_text_input', value: form.get('reason') };
      const view = { ...this.dialog, state: { values: { reason: { reason } } } };
      this.dialog = undefined;
      await this.send({ type: 'view_submission', view });
    }
    return Response.redirect(this.url, 303);
  }

  private send(interaction: object, secret = this.signingSecret): Promise<Response> {
    const payload = {
      ...interaction,
      team: { id: team },
      user: { id: this.person.id, team_id: team },
      trigger_id: `trigger.${++this.count}`, // makes each request differ, so that a repeated one is recognized
    };
    const body = new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
    const timestamp = String(Math.floor(Date.now() / 1000));
    const signature = createHmac('sha256', secret).update(`v0:${timestamp}:${body}`).digest('hex');
    return fetch(this.requestUrl, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'x-slack-request-timestamp': timestamp,
        'x-slack-signature': `v0=${signature}`,
      },
      body,
    });
  }

  private show(): Response {
    const dialog = this.dialog
      ? '<form method="post" action="/reason"><label>Reason <input name="reason" required></label> <button>Deny</button></form>'
      : '';
    const answers = this.answers.map((answer) => `<p><em>Only you see this:</em> ${escaped(answer)}</p>`);
    const messages = this.messages.toReversed().map((message) => {
      const buttons = buttonsOf(message).map(
        (button) =>
          `<form method="post" action="/press"><input type="hidden" name="ts" value="${message.ts}"><button name="decision" value="${button.action_id?.replace('countersign_', '')}">${escaped(labelOf(button))}</button></form> `,
      );
      return `<article><pre>${linked(escaped(textOf(message)))}</pre>${buttons.join('')}</article>`;
    });
    const body = [dialog, ...answers, ...messages].join('') || '<p>No messages yet.</p>';
    return htmlPage(`Slack (simulated), as ${this.person.name}`, body, { refreshes: !this.dialog });
  }
}

const labelOf = ({ text }: { text?: string | { text: string } }): string =>
  (typeof text === 'string' ? text : text?.text) ?? '';

const buttonsOf = ({ blocks }: Pick<Message, 'blocks'>) =>
  blocks
    .flatMap(({ type, elements }) => (type === 'actions' && elements ? elements : []))
    .filter(({ action_id }) => action_id?.startsWith('countersign_'));

/** Slack's notation for links, after escaping. */
const linked = (html: string): string =>
  html.replace(/&#60;(https?:[^|\s]+)\|([^&]+)&#62;/g, '<a href="$1" target="_blank">$2</a>');

/** The text of a message without its buttons. */
export const textOf = ({ blocks, text }: Pick<Message, 'blocks' | 'text'>): string =>
  blocks
    ?.filter(({ type }) => type !== 'actions')
    .flatMap((block) => [block.text?.text ?? '', ...(block.elements ?? []).map(labelOf)])
    .filter(Boolean)
    .join('\n') || text;
