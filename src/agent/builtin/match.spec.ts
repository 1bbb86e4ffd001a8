import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import type { JsonObject } from '../../platform/json/strict-json.js';
import type { ListedTool } from '../agent-model.port.js';
import { findCandidates, callTemplate } from './match.js';
import { tokenizeInstruction } from './tokens.js';

const tool = (name: string, title: string, properties: JsonObject, required: string[]): ListedTool => ({
  name,
  title,
  description: '',
  connectionId: 'c',
  connectionSlug: name.split('__')[0],
  connectionRevision: 1,
  operation: 'tool',
  inputSchema: { type: 'object', properties, required, additionalProperties: false },
  effect: 'write',
  definitionHash: '',
  isPaused: false,
  isPendingReview: false,
  isForeign: false,
  verdict: 'allow',
});
const text = { type: 'string' };
const create = tool(
  'tickets__create',
  'Create a ticket',
  {
    project: text,
    title: text,
    description: text,
    priority: { type: 'string', enum: ['low', 'high'] },
    points: { type: 'integer' },
    labels: { type: 'array', items: text },
  },
  ['project', 'title'],
);
const comment = tool('tickets__add_comment', 'Comment on a ticket', { ticketId: text, body: text }, [
  'ticketId',
  'body',
]);
const close = tool('tickets__close', 'Close a ticket', { ticket: text }, ['ticket']);
const reply = tool('desk__comment_case', 'Comment on a case', { id: text, text }, ['id', 'text']);
const bare = tool('talk__post_note', 'Post a note', { channel: { type: 'string', pattern: '^[a-z-]+$' }, text }, [
  'channel',
  'text',
]);
const post = tool('chat__post_message', 'Post a message', { channel: text, text }, ['channel', 'text']);
const all = [create, comment, close, reply, post];

const ready = (instruction: string, tools = all): Record<string, unknown> | null => {
  const found = findCandidates(tokenizeInstruction(instruction), tools);
  return found.length === 1 && found[0].isReady ? { [found[0].tool.name]: found[0].args } : null;
};

describe('an instruction that names one tool and every required field', () => {
  it.each<[string, string, JsonObject]>([
    [
      'create a ticket titled "Printer: broken." in project OPS',
      'tickets__create',
      { project: 'OPS', title: 'Printer: broken.' },
    ],
    [
      'open a new ticket "Printer" in the OPS project with high priority',
      'tickets__create',
      { project: 'OPS', title: 'Printer', priority: 'high' },
    ],
    [
      'file a ticket with title "P", project: OPS, priority is HIGH and points 3.',
      'tickets__create',
      { project: 'OPS', title: 'P', priority: 'high', points: 3 },
    ],
    [
      'create a ticket titled "P" in project OPS with label hardware',
      'tickets__create',
      { project: 'OPS', title: 'P', labels: ['hardware'] },
    ],
    ['add a comment to ticket OPS-12 saying "on it"', 'tickets__add_comment', { ticketId: 'OPS-12', body: 'on it' }],
    [
      'add a comment with text "on it" to the ticket OPS-12',
      'tickets__add_comment',
      { ticketId: 'OPS-12', body: 'on it' },
    ],
    ['comment on case 12: "on it"', 'desk__comment_case', { id: '12', text: 'on it' }],
    ['close ticket OPS-12, thanks!', 'tickets__close', { ticket: 'OPS-12' }],
    [
      'post a message to #general saying "Deploy done"',
      'chat__post_message',
      { channel: '#general', text: 'Deploy done' },
    ],
    ['post "Deploy done" to #general', 'chat__post_message', { channel: '#general', text: 'Deploy done' }],
    ['send "Deploy done" to the #general channel', 'chat__post_message', { channel: '#general', text: 'Deploy done' }],
  ])('becomes a call: %s', (instruction, name, args) => {
    expect(ready(instruction)).toEqual({ [name]: args });
  });
});

it('treats "add a comment" as the verb "comment"', () => {
  expect(ready('add a comment to the case 12 saying "on it"', [reply])).toEqual({
    desk__comment_case: { id: '12', text: 'on it' },
  });
});

it('removes the # if the tool expects channel names without it', () => {
  expect(ready('post a note to #general saying "a"', [bare])).toEqual({
    talk__post_note: { channel: 'general', text: 'a' },
  });
});

describe('an instruction that is incomplete or ambiguous', () => {
  it.each([
    'create a ticket titled "P"',
    'create a ticket titled Printer is broken in project OPS',
    'create a ticket titled "P" in project OPS when the build fails',
    'create a ticket titled "P" in project OPS and then close ticket OPS-1',
    'create a ticket titled "P" in project OPS with priority urgent',
    'create a ticket titled "P" in project OPS with points three',
    'create a ticket titled "P" in project OPS titled "Q"',
    'create a ticket titled "P" in project whichever fits',
    'create a ticket titled "P" in project',
    'create a ticket titled "P in project OPS',
    'create a ticket titled "Fix the "login" page" in project OPS',
    'create two tickets titled "P" in project OPS',
    'create a ticket "P" "Q" in project OPS',
    'create a customer titled "P" in project OPS',
    'close OPS-12',
    'comment on case 12: "on it" "and more"',
    'comment on case 12 and 13: "on it"',
    'close ticket OPS-12 and OPS-13',
    'post the results to #general',
    'post "a" to #general and #random',
    'post "a"',
  ])('does not become a call: %s', (instruction) => {
    expect(ready(instruction)).toBeNull();
  });

  it('does not become a call if another connection has a tool of the same name', () => {
    const other = { ...create, name: 'desk__create_ticket' };
    expect(ready('create a ticket titled "P" in project OPS', [...all, other])).toBeNull();
    expect(ready('create a desk ticket titled "P" in project OPS', [...all, other])).toEqual({
      desk__create_ticket: { title: 'P', project: 'OPS' },
    });
  });
});

describe('callTemplate', () => {
  it('has the understood values and placeholders for the missing ones', () => {
    const [found] = findCandidates(tokenizeInstruction('create a ticket in project OPS'), all);
    expect(found.missing).toEqual(['title']);
    expect(callTemplate(found)).toBe('tickets__create: {"project":"OPS","title":"<title>"}');
  });
});

describe('an additional word', () => {
  const sentence = 'create a ticket titled "P" in project OPS with priority high'.split(' ');
  const harmless = new Set([
    'a',
    'the',
    'new',
    'and',
    'with',
    'having',
    'please',
    'thanks',
    'cheers',
    'my',
    'our',
    'this',
    'another',
    'an',
    'one',
    'ticket',
    'tickets',
  ]);

  it('prevents the call or changes none of its values', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: sentence.length }), fc.stringMatching(/^[a-z]{2,8}$/), (at, word) => {
        fc.pre(!harmless.has(word));
        const args = ready([...sentence.slice(0, at), word, ...sentence.slice(at)].join(' '))?.tickets__create;
        if (args) expect(args).toMatchObject({ title: 'P', project: 'OPS' });
      }),
    );
  });
});
