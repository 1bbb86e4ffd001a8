import { describe, expect, it } from 'vitest';
import { type Bearer, type BearerToken, withBearer } from './bearer-fetch.js';

const first: BearerToken = { access: 'first', version: 1 };
const second: BearerToken = { access: 'second', version: 2 };

/** A server that returns these responses in order, and the requests that it received. */
function server(...answers: Response[]) {
  const sent: string[] = [];
  const reach = async (_: string | URL, init?: RequestInit) => {
    sent.push(`${new Headers(init?.headers).get('authorization')} ${(init?.body as string | null) ?? ''}`);
    return answers.shift()!;
  };
  return { sent, reach };
}

const bearer: Bearer = {
  current: async () => first,
  renew: async (used) => {
    if (used !== first) throw new Error('renewed twice');
    return second;
  },
  refusedError: () => new Error('refused'),
  insufficientScopeError: async (scope) => new Error(`short of ${scope}`),
};
const short = (scope: string) =>
  new Response(null, {
    status: 403,
    headers: { 'www-authenticate': `Bearer error="insufficient_scope", scope="${scope}"` },
  });

describe('a request with a person’s token', () => {
  it('carries only this token as its credential', async () => {
    const { sent, reach } = server(new Response('yes'));
    const answer = await withBearer(reach, bearer)('https://a.example', {
      headers: { authorization: 'Bearer of the caller' },
    });
    expect(await answer.text()).toBe('yes');
    expect(sent).toEqual(['Bearer first ']);
  });

  it('is retried once, unchanged, with a new token', async () => {
    const { sent, reach } = server(new Response(null, { status: 401 }), new Response('yes'));
    await withBearer(reach, bearer)('https://a.example', { method: 'POST', body: 'what' });
    expect(sent).toEqual(['Bearer first what', 'Bearer second what']);
  });

  it('is not sent a third time', async () => {
    const { sent, reach } = server(new Response(null, { status: 401 }), new Response(null, { status: 401 }));
    await expect(withBearer(reach, bearer)('https://a.example')).rejects.toThrow('refused');
    expect(sent).toHaveLength(2);
  });

  it('reports the missing scope if it is well-formed', async () => {
    const ask = withBearer(server(short('a b'), short('x'.repeat(2000))).reach, bearer);
    await expect(ask('https://a.example')).rejects.toThrow('short of a b');
    await expect(ask('https://a.example')).rejects.toThrow('short of undefined');
  });

  it('passes every other response through', async () => {
    const { reach } = server(new Response('no', { status: 403 }));
    expect(await (await withBearer(reach, bearer)('https://a.example')).text()).toBe('no');
  });
});
