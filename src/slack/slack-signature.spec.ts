import { describe, expect, it } from 'vitest';
import { isSignedBySlack, slackSignatureOf } from './slack-signature.js';

// the example of Slack's documentation
const secret = '8f742231b10e8888abcd99yyyzzz85a5';
const timestamp = '1531420618';
const body = Buffer.from(
  'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c',
);
const signature = 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503';
const at = Number(timestamp) * 1000;
const request = { body, timestamp, signature };

describe('a signature of Slack', () => {
  it('is the one of the documentation', () => {
    expect(slackSignatureOf(body, timestamp, secret)).toBe(signature);
    expect(isSignedBySlack(request, secret, at)).toBe(true);
  });

  it('is accepted for five minutes', () => {
    expect(isSignedBySlack(request, secret, at + 300_000)).toBe(true);
    expect(isSignedBySlack(request, secret, at + 301_000)).toBe(false);
    expect(isSignedBySlack(request, secret, at - 301_000)).toBe(false);
  });

  it.each([
    { ...request, body: Buffer.concat([body, Buffer.from('&')]) },
    { ...request, timestamp: '1531420619' },
    { ...request, timestamp: '1531420618.0' },
    { ...request, timestamp: undefined },
    { ...request, signature: undefined },
    { ...request, signature: signature.replace('v0', 'v1') },
    { ...request, signature: '' },
  ])('is refused for anything else: %#', (changed) => {
    expect(isSignedBySlack(changed, secret, at)).toBe(false);
  });

  it('is refused with another secret', () => {
    expect(isSignedBySlack(request, '0'.repeat(32), at)).toBe(false);
  });
});
