import type { Response as HttpResponse } from 'express';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { IncomingRequest } from '../incoming-request.js';
import type { ResumableStream } from './resumable-stream.js';
import { SessionReply } from './session-reply.js';

const response = { jsonrpc: '2.0' as const, id: 1, result: {} };

function aReply() {
  const http = {
    closed: false,
    statusCode: 0,
    body: '',
    status: (code: number) => Object.assign(http, { statusCode: code }),
    type: () => http,
    end: (body = '') => void Object.assign(http, { body }),
  };
  const ended: unknown[] = [];
  const stream = { end: async (last: unknown) => void ended.push(last) } as unknown as ResumableStream;
  const open = vi.fn(async () => stream);
  const reply = new SessionReply({} as IncomingRequest, http as unknown as HttpResponse, open);
  return { reply, http, ended, open };
}

describe('the reply to a request of a session', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('is JSON when the response comes within a second', async () => {
    const { reply, http, open } = aReply();
    reply.begin();
    await vi.advanceTimersByTimeAsync(900);
    await reply.respond(response);
    await reply.done;
    expect([http.statusCode, JSON.parse(http.body)]).toEqual([200, response]);
    expect(open).not.toHaveBeenCalled();
  });

  it('is a stream when the response takes longer', async () => {
    const { reply, http, ended } = aReply();
    reply.begin();
    await vi.advanceTimersByTimeAsync(1100);
    await reply.respond(response);
    await reply.done;
    expect([http.body, ended]).toEqual(['', [response]]);
  });

  it('carries no response once the client has cancelled the request', async () => {
    const { reply, ended } = aReply();
    reply.begin();
    await vi.advanceTimersByTimeAsync(1100);
    await reply.cancel();
    await reply.respond(response);
    expect(ended).toEqual([null]);
  });

  it('is accepted without a body when the client cancels before there is a stream', async () => {
    const { reply, http, open } = aReply();
    reply.begin();
    await reply.cancel();
    await vi.advanceTimersByTimeAsync(2000);
    await reply.respond(response);
    expect([http.statusCode, http.body]).toEqual([202, '']);
    expect(open).not.toHaveBeenCalled();
  });
});
