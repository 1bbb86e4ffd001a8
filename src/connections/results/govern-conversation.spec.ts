import { expect, it, vi } from 'vitest';
import type { Conversation } from '../conversation.port.js';
import type { OfferedTool } from '../offered-tool.js';
import { defaultResultRules, type ResultRules } from '../result-rules.js';
import { governConversation } from './govern-conversation.js';

const secret = `ghp_${'a1B2c3D4'.repeat(4)}`;
const caller = () =>
  ({ capabilities: {}, ask: vi.fn(), progress: vi.fn(), log: vi.fn() }) satisfies Partial<Conversation>;
const toolWith = (resultRules?: ResultRules) => ({ resultRules }) as OfferedTool;

it('redacts progress and log messages', () => {
  const conversation = caller();
  const governed = governConversation(toolWith(defaultResultRules), conversation)!;
  governed.progress({ progress: 1, message: `Uses ${secret}` });
  governed.progress({ progress: 2 });
  governed.log({ level: 'info', data: { password: 'correct horse', step: 1 } });
  expect(conversation.progress.mock.calls).toEqual([
    [{ progress: 1, message: 'Uses [redacted: secret]' }],
    [{ progress: 2 }],
  ]);
  expect(conversation.log).toHaveBeenCalledWith({ level: 'info', data: { password: '[redacted: secret]', step: 1 } });
});

it('leaves out blocked and overlong text', () => {
  const conversation = caller();
  const governed = governConversation(toolWith({ ...defaultResultRules, secrets: 'block' }), conversation)!;
  for (const data of [secret, 'a '.repeat(40_000)]) governed.log({ level: 'info', data });
  expect(conversation.log.mock.calls).toEqual(Array(2).fill([{ level: 'info', data: '[left out]' }]));
});

it('changes nothing without rules', () => {
  const conversation = caller();
  expect(governConversation(toolWith(), conversation)).toBe(conversation);
  expect(governConversation(toolWith(defaultResultRules), undefined)).toBeUndefined();
});
