import { describe, expect, it } from 'vitest';
import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError, UnauthorizedError } from '@modelcontextprotocol/client';
import fc from 'fast-check';
import { OutboundHttpError } from '../platform/http/outbound-http.error.js';
import { NotSent, OutcomeUnknown } from '../connections/connections.error.js';
import { callFailure, explainMcpFailure } from './mcp-failures.js';

const http = (status: number) => new SdkHttpError(SdkErrorCode.ClientHttpNotImplemented, 'no', { status });
const sdk = (code: SdkErrorCode) => new SdkError(code, 'no');

describe('the outcome of a failed call', () => {
  it('is "not sent" for any error before the request was sent', () => {
    const errors = [
      http(503),
      sdk(SdkErrorCode.RequestTimeout),
      new OutboundHttpError('broken', 'no', true),
      new Error('odd'),
      'odd',
      null,
    ];
    for (const error of errors) expect(callFailure(error, false)).toBeInstanceOf(NotSent);
  });

  it('is "not sent" if the server rejected the request', () => {
    for (const status of [301, 307, 400, 401, 403, 404, 405, 413, 429])
      expect(callFailure(http(status), true)).toBeInstanceOf(NotSent);
    expect(callFailure(new UnauthorizedError(), true)).toBeInstanceOf(NotSent);
    expect(callFailure(sdk(SdkErrorCode.UnsupportedResultType), true)).toBeInstanceOf(NotSent);
    expect(callFailure(new OutboundHttpError('redirect-refused', 'no', false), true)).toBeInstanceOf(NotSent);
  });

  it('is unknown if the request was sent and the server did not report on it', () => {
    for (const status of [408, 500, 502, 503, 504])
      expect(callFailure(http(status), true)).toBeInstanceOf(OutcomeUnknown);
    const codes = [
      SdkErrorCode.RequestTimeout,
      SdkErrorCode.ConnectionClosed,
      SdkErrorCode.InvalidResult,
      SdkErrorCode.ClientHttpUnexpectedContent,
      SdkErrorCode.SendFailed,
    ];
    for (const code of codes) expect(callFailure(sdk(code), true)).toBeInstanceOf(OutcomeUnknown);
    for (const code of ['broken', 'timed-out', 'too-large'] as const)
      expect(callFailure(new OutboundHttpError(code, 'no', true), true)).toBeInstanceOf(OutcomeUnknown);
    expect(callFailure(new SyntaxError('Unexpected token'), true)).toBeInstanceOf(OutcomeUnknown);
  });

  it('is unknown for any unexpected error after the request was sent', () => {
    fc.assert(fc.property(fc.anything(), (thrown) => callFailure(thrown, true) instanceof OutcomeUnknown));
  });

  it('does not change if the error already states it', () => {
    const verdict = new NotSent('paused');
    expect(callFailure(verdict, true)).toBe(verdict);
  });
});

describe('the reason of a failure', () => {
  it.each<[unknown, RegExp]>([
    [http(401), /credential.*401/],
    [http(403), /required rights/],
    [http(404), /Check the path/],
    [http(500), /Try again later/],
    [http(422), /422.*endpoint/],
    [sdk(SdkErrorCode.RequestTimeout), /in time/],
    [
      new SdkError(SdkErrorCode.EraNegotiationFailed, 'x', {
        cause: new OutboundHttpError('name-unknown', 'the name a.b could not be resolved', false),
      }),
      /^The name a\.b could not be resolved\.$/,
    ],
    [new ProtocolError(-32603, 'out\nof order'), /error: “out of order”/],
    [new SyntaxError('x'), /not with MCP/],
  ])('of %s', (error, words) => expect(explainMcpFailure(error)).toMatch(words));

  it('is one sentence of bounded length for any thrown value', () => {
    fc.assert(
      fc.property(fc.anything(), (thrown) => {
        const reason = explainMcpFailure(
          thrown instanceof Object && !(thrown instanceof Error)
            ? new Error(String((thrown as { message?: unknown }).message ?? ''))
            : thrown,
        );
        expect(reason.length).toBeGreaterThan(0);
        expect(reason.length).toBeLessThan(500);
        expect(reason).not.toMatch(/\n/);
      }),
    );
  });
});
