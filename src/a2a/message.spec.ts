import { describe, expect, it } from 'vitest';
import type { Request } from 'express';
import { leastCpuMsOf } from '../../test/kit/cpu-time.js';
import { Problem } from '../platform/errors/problem.js';
import { readTaskSubmission } from './message.js';

const limits = { textBytes: 10, parts: 3, jsonDepth: 8 };
const read = (body: string | Buffer, type = 'application/json') =>
  readTaskSubmission({ headers: { 'content-type': type }, body: Buffer.from(body) } as Request, limits);
const message = (parts: string, id = '"t1"') => `{"id": ${id}, "message": {"role": "user", "parts": ${parts}}}`;

function refusal(run: () => unknown) {
  try {
    run();
  } catch (error) {
    if (error instanceof Problem)
      return { status: error.status, code: error.code, pointers: error.errors?.map(({ pointer }) => pointer) };
    throw error;
  }
  throw new Error('the message was accepted');
}
const invalid = (...pointers: string[]) => ({ status: 400, code: 'invalid-request', pointers });

describe('a one-megabyte message of invalid parts', () => {
  it.each(['1', '{}', '{"text":""}'])('is rejected within 500 ms of CPU time: parts %s', async (part) => {
    const text = message(`[${`${part},`.repeat(1_000_000 / (part.length + 1))}${part}]`);
    expect(refusal(() => read(text))).toMatchObject({ status: 413, code: 'too-large' });
    expect(await leastCpuMsOf(() => refusal(() => read(text)))).toBeLessThan(500);
  });
});

describe('a message', () => {
  it('is parsed to its id and parts, without other members', () => {
    expect(
      read(
        '{"id": "a.b:c-1_", "x": 9007199254740993, "message": {"role": "user", "kind": "message", "parts": [{"type": "text", "text": "hi"}]}}',
      ),
    ).toEqual({
      id: 'a.b:c-1_',
      parts: [{ text: 'hi' }],
    });
  });

  it('retains the source text of data', () => {
    expect(read(message('[{"text": "x"}, {"data": { "n": 1.50, "ä": null }}]')).parts).toEqual([
      { text: 'x' },
      { data: { n: 1.5, ä: null }, dataText: '{ "n": 1.50, "ä": null }' },
    ]);
    expect(read(message('[{"data": null}]')).parts).toEqual([{ data: null, dataText: 'null' }]);
  });

  it.each([
    ['no body', '', undefined],
    ['invalid JSON', '{', ['']],
    ['a list', '[]', ['']],
    ['no members', '{}', ['/id', '/message']],
    ['an id with a slash', message('[{"text": "x"}]', '"a/b"'), ['/id']],
    ['the id ".."', message('[{"text": "x"}]', '".."'), ['/id']],
    ['an id that is too long', message('[{"text": "x"}]', `"${'x'.repeat(129)}"`), ['/id']],
    ['an empty id', message('[{"text": "x"}]', '""'), ['/id']],
    ["the agent's role", '{"id": "a", "message": {"role": "agent", "parts": [{"text": "x"}]}}', ['/message/role']],
    ['no parts', message('[]'), ['/message/parts']],
    ['a part without content', message('[{"text": "x"}, {"url": "x"}]'), ['/message/parts/1']],
    ['a part with two contents', message('[{"text": "x", "data": 1}]'), ['/message/parts/0']],
    ['an empty text', message('[{"text": ""}]'), ['/message/parts/0/text']],
    ['a number as text', message('[{"text": 1}]'), ['/message/parts/0/text']],
    ['half a surrogate pair', message('[{"text": "\\ud800"}]'), ['/message/parts/0/text']],
    ['NUL', message('[{"text": "a\\u0000"}]'), ['/message/parts/0/text']],
    ['a key that occurs twice', message('[{"data": {"a": 1, "a": 2}}]'), ['/message/parts/0/data/a']],
    [
      'an integer beyond double precision',
      message('[{"data": {"a": [9007199254740993]}}]'),
      ['/message/parts/0/data/a/0'],
    ],
    [
      'a key that Cedar reserves',
      message('[{"data": {"arguments": {"__extn": 1}}}]'),
      ['/message/parts/0/data/arguments/__extn'],
    ],
  ])('with %s is rejected', (_, body, pointers) => {
    expect(refusal(() => read(body))).toEqual({ status: 400, code: 'invalid-request', pointers });
  });

  it('that is nested too deeply is rejected', () => {
    expect(refusal(() => read(message(`[{"data": ${'['.repeat(9)}${']'.repeat(9)}}]`)))).toMatchObject({
      status: 400,
      code: 'invalid-request',
    });
    expect(refusal(() => read(message(`[{"x": ${'['.repeat(100_000)}${']'.repeat(100_000)}}]`)))).toMatchObject({
      status: 400,
    });
  });

  it('that is too large is rejected with 413', () => {
    expect(refusal(() => read(message('[{"text": "öööööö"}]')))).toEqual({
      status: 413,
      code: 'too-large',
      pointers: ['/message/parts/0/text'],
    });
    expect(refusal(() => read(message('[{"text": "a"},{"text": "a"},{"text": "a"},{"text": "a"}]')))).toMatchObject({
      status: 413,
      code: 'too-large',
    });
  });

  it('in another media type or encoding is rejected', () => {
    expect(refusal(() => read('{}', 'text/plain'))).toMatchObject({ status: 415 });
    expect(refusal(() => read(Buffer.from('{"id":"\xe4"}', 'latin1')))).toMatchObject({ status: 400 });
    expect(refusal(() => read(message('[{"text": 1}]'), 'application/json; charset=utf-8'))).toEqual(
      invalid('/message/parts/0/text'),
    );
  });
});
