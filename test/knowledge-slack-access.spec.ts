import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SlackSimulator, type SlackSimulatorOptions } from '../examples/simulators/slack/slack-simulator.js';
import { appUser } from '../examples/simulators/slack/workspace.js';
import { NotSent, OutcomeUnknown } from '../src/connections/connections.error.js';
import type { ReaderSet } from '../src/connections/knowledge-source.port.js';
import { slackSourceConnector } from '../src/knowledge/slack/slack.connector.js';
import { newId } from '../src/platform/crypto/ids.js';
import { localOutgoing } from './kit/local-outgoing.js';
import { SourceFixture } from './kit/source-fixture.js';

const outgoing = localOutgoing();
const connector = slackSourceConnector({ maxWaitMs: 2000, quickWaitMs: 50, retryDelayMs: 1, searchDelaysMs: [1, 1] });
let slack: SlackSimulator;
let ana: string;
let ben: string;
let guest: string;
const running: SlackSimulator[] = [];

async function start(options: SlackSimulatorOptions = {}): Promise<void> {
  slack = await SlackSimulator.start(options);
  running.push(slack);
  ana = slack.workspace.addUser({ name: 'Ana' });
  ben = slack.workspace.addUser({ name: 'Ben' });
  guest = slack.workspace.addUser({ name: 'Gil Guest', kind: 'guest' });
}
const access = (settings: Record<string, unknown> = {}, secrets: Record<string, string> = {}) => ({
  outgoing,
  settings: { url: slack.url, ...settings },
  secrets: { token: slack.token, signingSecret: slack.signingSecret, ...secrets },
});
const source = (...entered: Parameters<typeof access>) => new SourceFixture(connector, access(...entered));

beforeEach(() => start());
afterEach(async () => {
  for (const one of running.splice(0)) await one.stop();
});
afterAll(() => outgoing.onApplicationShutdown());

describe('the readers of a channel', () => {
  it('are all full members if it is public, and the guests in it', async () => {
    const open = slack.workspace.addChannel('general');
    const withGuest = slack.workspace.addChannel('project', { members: [guest] });
    expect(await source().readersOf(open)).toEqual(['Ana', 'Ben']);
    expect(await source().readersOf(withGuest)).toEqual(['Ana', 'Ben', 'Gil Guest']);
  });

  it('are its members if it is private', async () => {
    const channel = slack.workspace.addChannel('board', { isPrivate: true, members: [ana, guest] });
    expect(await source().readersOf(channel)).toEqual(['Ana', 'Gil Guest']);
    slack.workspace.join(channel, ben);
    slack.workspace.leave(channel, ana);
    expect(await source().readersOf(channel)).toEqual(['Ben', 'Gil Guest']);
  });

  it('change if it is made private, and stay the same if it is archived or renamed', async () => {
    const channel = slack.workspace.addChannel('general', { members: [ana] });
    expect(await source().readersOf(channel)).toEqual(['Ana', 'Ben']);
    slack.workspace.makePrivate(channel);
    expect(await source().readersOf(channel)).toEqual(['Ana']);
    slack.workspace.archive(channel);
    slack.workspace.rename(channel, 'old');
    expect(await source().readersOf(channel)).toEqual(['Ana']);
    expect((await source().roster()).audience(channel)).toMatchObject({
      title: '#old',
      rule: 'Private channel: its members.',
      url: `${slack.url}/archives/${channel}`,
    });
  });

  it.each([
    ['a deactivated person', { isDeleted: true }],
    ['a bot', { kind: 'bot' }],
    ['a single-channel guest who is not in it', { kind: 'single-channel-guest' }],
    ['a person of another organization', { kind: 'stranger' }],
    ['a person with an account of another workspace', { teamId: 'T0OTHER' }],
    ['a person who was only invited', { isInvited: true }],
    ['a person with an unconfirmed address', { isEmailConfirmed: false }],
    ['a person without an address', { email: undefined }],
  ] as const)('do not include %s', async (_, user) => {
    const channel = slack.workspace.addChannel('general');
    slack.workspace.addUser({ name: 'Xi', ...user });
    expect(await source().readersOf(channel)).toEqual(['Ana', 'Ben']);
  });

  it('do not include people of other organizations if it is shared', async () => {
    const stranger = slack.workspace.addUser({
      name: 'Sam',
      kind: 'stranger',
      teamId: 'T0OTHER',
      email: 'ana@acme.example',
    });
    const members = [ana, stranger, 'U0UNKNOWN'];
    const channel = slack.workspace.addChannel('vendors', { isShared: true, isPrivate: true, members });
    expect(await source().readersOf(channel)).toEqual(['Ana']);
    const roster = await source().roster();
    expect(roster.accounts.get(stranger)!.email).toBeUndefined();
    expect(roster.audience(channel).rule).toContain('other organizations');
  });

  it('are unreadable if Slack does not return them', async () => {
    const channel = slack.workspace.addChannel('board', { isPrivate: true, members: [ana] });
    const body = { ok: false, error: 'channel_not_found' };
    slack.http.faults.add({ kind: 'status', status: 200, body, on: /members/ });
    expect(await source().readersOf(channel)).toBe('unreadable');
  });

  it('are never taken from an incomplete list', async () => {
    slack.workspace.addChannel('board', { isPrivate: true, members: [ana] });
    slack.http.faults.add({ kind: 'status', status: 200, body: { ok: false, error: 'fatal_error' }, on: /members/ });
    await expect(source().roster()).rejects.toMatchObject({ fault: 'unavailable' });
    slack.http.faults.clear();
    slack.http.faults.add({
      kind: 'status',
      status: 200,
      body: { ok: true, members: [{ name: 'no id' }] },
      on: /users/,
    });
    await expect(source().roster()).rejects.toMatchObject({ fault: 'unreadable' });
  });

  it('are requested only for chosen channels', async () => {
    const chosen = slack.workspace.addChannel('board', { isPrivate: true, members: [ana] });
    for (const name of ['a', 'b', 'c']) slack.workspace.addChannel(name);
    const roster = await source({ containers: [chosen] }).roster();
    expect([...roster.audiences.keys()].map((id) => id.split('/').at(-1))).toEqual([chosen]);
    expect(slack.http.count(/members/)).toBe(1);
  });

  it('come from one list for all public channels if the workspace has no guests', async () => {
    slack.workspace.changeUser(guest, { isDeleted: true });
    const channels = ['a', 'b', 'c'].map((name) => slack.workspace.addChannel(name));
    expect(await source().readersOf(channels[2])).toEqual(['Ana', 'Ben']);
    expect(slack.http.count(/members/)).toBe(0);
  });

  it('are read page by page in a workspace with 20,000 people', async () => {
    const channel = slack.workspace.addChannel('everybody', { isPrivate: true });
    for (let nth = 0; nth < 20_000; nth++) {
      const id = slack.workspace.addUser({ id: `U1${nth}`, name: `Person ${nth}` });
      slack.workspace.channel(channel).members.add(id);
    }
    const roster = await new SourceFixture(slackSourceConnector({ windowMs: 1 }), access()).roster();
    expect((roster.audience(channel).readers as ReaderSet[])[0].accounts).toHaveLength(20_000);
    expect(slack.http.count(/users.list/)).toBe(21);
  });
});

describe('Enterprise Grid', () => {
  beforeEach(() => start({ enterprise: { id: 'E1' } }));

  it('opens a public channel to the members of its workspace only', async () => {
    const channel = slack.workspace.addChannel('general');
    slack.workspace.addUser({ name: 'Elsewhere', teams: ['T0OTHER'] });
    slack.workspace.addUser({ name: 'Both', teams: ['T0OTHER', 'T0ACME'], teamId: 'E1' });
    expect(await source().readersOf(channel)).toEqual(['Ana', 'Ben', 'Both']);
  });

  it('rejects a token of the whole organization', async () => {
    await start({ enterprise: { id: 'E1', isOrgInstall: true } });
    slack.workspace.addChannel('general');
    await expect(source().verify()).rejects.toThrow(/Install it in one workspace/);
    await expect(source().roster()).rejects.toThrow(/Install it in one workspace/);
    await expect(source().documents()).rejects.toThrow(/Install it in one workspace/);
  });
});

describe('verification', () => {
  it('succeeds without the scope for posting, and reports it', async () => {
    slack.workspace.addChannel('general');
    expect(await source().verify()).toEqual({ status: 'connected' });
    slack.scopes.delete('chat:write');
    expect(await source().verify()).toMatchObject({
      status: 'connected',
      reason: expect.stringContaining('chat:write'),
    });
  });

  it.each(['channels:history', 'groups:read', 'users:read.email'])('names the missing scope %s', async (scope) => {
    slack.workspace.addChannel('general');
    slack.scopes.delete(scope);
    expect(await source().verify()).toEqual({ status: 'failed', reason: expect.stringContaining(scope) });
  });

  it('rejects the token of a person', async () => {
    expect(await source({}, { token: 'xoxp-1' }).verify()).toMatchObject({
      status: 'failed',
      reason: expect.stringContaining('xoxb-'),
    });
  });

  it('requires the app to be invited to a channel', async () => {
    const outside = slack.workspace.addChannel('general', { isAppOutside: true });
    expect(await source().verify()).toMatchObject({ status: 'limited', reason: expect.stringContaining('/invite') });
    expect(await source({ containers: [outside] }).verify()).toMatchObject({
      status: 'limited',
      reason: expect.stringContaining(outside),
    });
  });

  it.each([
    ['its short pages', { isRestricted: true }],
    ['its rate', { isRestricted: true, windowMs: 60_000 }],
  ])('recognizes an app from outside the Marketplace by %s', async (_, options) => {
    await start(options);
    const messages = 'windowMs' in options ? 2 : 30;
    for (const name of ['general', 'random']) {
      const channel = slack.workspace.addChannel(name);
      for (let nth = 0; nth < messages; nth++) slack.workspace.post(channel, { user: ana, text: 'x' });
    }
    expect(await source().verify()).toEqual({
      status: 'limited',
      reason: expect.stringMatching(/one request a minute with 15 messages.*internal app/),
    });
  });

  it('reports that people cannot be matched if Slack hides addresses', async () => {
    slack.workspace.addChannel('general');
    for (const user of slack.workspace.users.values()) user.email = undefined;
    expect(await source().verify()).toMatchObject({
      status: 'limited',
      reason: expect.stringContaining('users:read.email'),
    });
  });
});

describe('webhooks', () => {
  const event = (type: string, rest: object = {}) => slack.callbackOf({ type, ...rest });

  it('name the thread of a message, a reply, an edit and a deletion', async () => {
    const channel = slack.workspace.addChannel('general');
    const ts = slack.workspace.post(channel, { user: ana, text: 'one' });
    const reply = slack.workspace.post(channel, { user: ben, text: 'two', thread: ts });
    slack.workspace.edit(channel, reply, 'three');
    slack.workspace.edit(channel, ts, 'four');
    slack.workspace.delete(channel, reply);
    slack.workspace.delete(channel, ts);
    const reported = slack.events.filter(({ type }) => type === 'message');
    expect(reported).toHaveLength(6);
    for (const one of reported)
      expect(await source().receive(slack.signed(slack.callbackOf(one)))).toEqual({
        id: expect.stringMatching(/^Ev/),
        hints: [{ channel, thread: ts }],
      });
  });

  it('never carry content', async () => {
    const request = slack.signed(event('message', { channel: 'C1', ts: '1700000000.000001', text: 'secret words' }));
    expect(JSON.stringify(await source().receive(request))).not.toContain('secret');
  });

  it.each([
    ['member_joined_channel', null],
    ['member_left_channel', null],
    ['team_join', null],
    ['user_change', null],
    ['channel_archive', []],
    ['group_left', []],
  ])('mark the roster as stale after %s, and have the hints %j', async (type, hints) => {
    const news = await source().receive(slack.signed(event(type, { channel: 'C1', user: ana })));
    expect(news).toMatchObject({ hints, isRosterStale: true });
  });

  it.each(['channel_convert_to_private', 'channel_convert_to_public', 'channel_join', 'channel_leave', 'group_leave'])(
    'mark the roster as stale after the notice %s',
    async (subtype) => {
      const notice = { channel: 'C1', user: ana, ts: '1730984822.596869', subtype, text: 'made this channel private' };
      expect(await source().receive(slack.signed(event('message', notice)))).toMatchObject({ isRosterStale: true });
    },
  );

  it('start a sync when the app is invited to a channel', async () => {
    const invited = slack.signed(event('member_joined_channel', { channel: 'C1', user: appUser }));
    expect(await source().receive(invited)).toMatchObject({ hints: [], isRosterStale: true });
  });

  it('start no sync of documents if they are about people', async () => {
    const joined = slack.signed(event('team_join', { user: { id: ana } }));
    expect(await source().receive(joined)).toEqual({ id: expect.any(String), hints: null, isRosterStale: true });
  });

  it('have no effect for other events', async () => {
    const news = await source().receive(slack.signed(event('reaction_added', { user: ana })));
    expect(news).toEqual({ id: expect.any(String), hints: null });
  });

  it('answer each verification of the address', async () => {
    const verification = slack.signed({ type: 'url_verification', challenge: 'abc', token: 'x' });
    expect(await source().receive(verification)).toMatchObject({ hints: null, reply: { challenge: 'abc' } });
  });

  it('start a sync after Slack dropped events', async () => {
    const limited = slack.signed({ type: 'app_rate_limited', team_id: 'T0ACME', minute_rate_limited: 1 });
    expect(await source().receive(limited)).toMatchObject({ hints: [] });
  });

  it('have the same id if Slack repeats them', async () => {
    const payload = event('message', { channel: 'C1', ts: '1700000000.000001' });
    const [first, second] = [slack.signed(payload), slack.signed(payload, { ageSeconds: 60 })];
    expect((await source().receive(first))!.id).toBe((await source().receive(second))!.id);
  });

  it.each([
    ['another secret', () => slack.signed(event('team_join'), { secret: 'f'.repeat(32) })],
    ['an old timestamp', () => slack.signed(event('team_join'), { ageSeconds: 301 })],
    ['a timestamp in the future', () => slack.signed(event('team_join'), { ageSeconds: -301 })],
    ['a changed body', () => ({ ...slack.signed(event('team_join')), body: JSON.stringify(event('user_change')) })],
    [
      'no signature',
      () => ({ headers: { 'x-slack-request-timestamp': String(Math.floor(Date.now() / 1000)) }, body: '{}' }),
    ],
    ['no JSON', () => slack.signed(Object('text') as object)],
  ])('are rejected with %s', async (_, request) => {
    expect(await source().receive(request())).toBeNull();
  });

  it('are rejected if the connection has no signing secret', async () => {
    expect(await source({}, { signingSecret: '' }).receive(slack.signed(event('team_join')))).toBeNull();
    expect(
      await source({}, { signingSecret: '' }).receive(slack.signed(event('team_join'), { secret: '' })),
    ).toBeNull();
  });

  it.each([
    { channel: { id: 'C1' }, ts: '1700000000.000001' },
    { channel: '../C1', ts: '1700000000.000001' },
    { channel: 'C1', ts: 'now' },
    { channel: 'C1' },
  ])('have no hint if the event is malformed: %j', async (strange) => {
    expect(await source().receive(slack.signed(event('message', strange)))).toMatchObject({ hints: [] });
  });
});

describe('posting a message', () => {
  const messages = (channel: string) => slack.workspace.channel(channel).messages;
  let channel: string;
  beforeEach(() => void (channel = slack.workspace.addChannel('general')));

  it('escapes mentions, and returns the link of the message', async () => {
    const text = 'Deploy <!channel> & tell <@U1> about <https://evil.example|the wiki>';
    const result = await source().execute('post_message', { channel, text });
    const [posted] = messages(channel);
    expect(posted.text).toBe(
      'Deploy &lt;!channel&gt; &amp; tell &lt;@U1&gt; about &lt;https://evil.example|the wiki&gt;',
    );
    const url = `${slack.url}/archives/${channel}/p${posted.ts.replace('.', '')}`;
    expect(result).toMatchObject({ isError: false, outside: true, url, structured: { channel, ts: posted.ts } });
    expect(slack.http.requests.at(-1)!.body).toMatchObject({ unfurl_links: false, unfurl_media: false });
  });

  it('replies to a thread', async () => {
    const ts = slack.workspace.post(channel, { user: ana, text: 'Question' });
    const result = await source().execute('post_message', { channel, text: 'Answer', thread_ts: ts });
    expect(slack.workspace.channel(channel).replies.get(ts)).toMatchObject([{ text: 'Answer' }]);
    expect(result.url).toContain(`?thread_ts=${ts}&cid=${channel}`);
  });

  it('is declared as a write that is not idempotent', async () => {
    expect((await source().tool('post_message')).annotations).toMatchObject({
      readOnlyHint: false,
      idempotentHint: false,
    });
  });

  it.each([
    ['a channel that is not part of the integration', () => source({ containers: ['C9'] })],
    ['a channel without the app', () => (slack.workspace.leave(channel, appUser), source())],
    ['a rejected token', () => source({}, { token: 'xoxb-other' })],
    ['a rate limit', () => (limit(), source())],
  ])('is not sent with %s', async (_, prepared) => {
    await expect(prepared().execute('post_message', { channel, text: 'x' })).rejects.toBeInstanceOf(NotSent);
    expect(messages(channel)).toEqual([]);
  });
  const limit = () =>
    slack.http.faults.add({ kind: 'status', status: 429, headers: { 'retry-after': '30' }, on: /postMessage/ });

  it('reports a rejection by Slack as an error of the tool', async () => {
    slack.workspace.archive(channel);
    const result = await source().execute('post_message', { channel, text: 'x' });
    expect(result).toMatchObject({ isError: true, reason: expect.stringContaining('is_archived') });
    slack.scopes.delete('chat:write');
    expect(await source().execute('post_message', { channel, text: 'x' })).toMatchObject({
      isError: true,
      reason: expect.stringMatching(/missing_scope.*chat:write/),
    });
  });

  it.each(['cut', 'half', 'html'] as const)('finds the message whose response was lost (%s)', async (kind) => {
    slack.http.faults.add({ kind, on: /postMessage/ });
    const sent = source().execute('post_message', { channel, text: 'Once' });
    if (kind === 'html') return expect(sent).rejects.toBeInstanceOf(OutcomeUnknown);
    expect(await sent).toMatchObject({ isError: false, structured: { ts: messages(channel)[0].ts } });
    expect(messages(channel)).toHaveLength(1);
    expect(slack.http.count(/postMessage/)).toBe(1);
  });

  it('finds a reply whose response was lost', async () => {
    const ts = slack.workspace.post(channel, { user: ana, text: 'Question' });
    slack.http.faults.add({ kind: 'cut', on: /postMessage/ });
    const result = await source().execute('post_message', { channel, text: 'Answer', thread_ts: ts });
    expect(result.structured).toMatchObject({ ts: slack.workspace.channel(channel).replies.get(ts)![0].ts });
  });

  it('does not confuse the message of another call with its own', async () => {
    await source().execute('post_message', { channel, text: 'Same' }, newId());
    slack.http.faults.add({
      kind: 'status',
      status: 200,
      body: { ok: false, error: 'internal_error' },
      on: /postMessage/,
    });
    await expect(source().execute('post_message', { channel, text: 'Same' })).rejects.toBeInstanceOf(OutcomeUnknown);
    expect(slack.http.count(/postMessage/)).toBe(2);
  });
});
