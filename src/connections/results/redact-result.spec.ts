import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../platform/json/strict-json.js';
import type { ToolContent, ToolResult } from '../connector-registry.service.js';
import { redactResult } from './redact-result.js';
import { defaultResultRules, type ResultRules } from '../result-rules.js';

const secret = `ghp_${'a1B2c3D4'.repeat(4)}`;

function apply(result: Partial<ToolResult>, rules: Partial<ResultRules> = {}, outputSchema: JsonObject | null = null) {
  return redactResult({
    rules: { ...defaultResultRules, ...rules },
    outputSchema,
    result: { content: [], isError: false, outside: true, ...result },
  });
}
const ofText = (text: string, rules: Partial<ResultRules> = {}) => {
  const { content, notice } = apply({ content: [{ type: 'text', text }] }, rules);
  return { text: textOf(content[0]), notice };
};
const textOf = (part: ToolContent) => (part.type === 'text' ? part.text : '');
const redactPersonal = { personalData: 'redact' } as const;

describe('secrets in results', () => {
  it('redacts known formats, headers, assignments and credentials in addresses', () => {
    expect(ofText(`Use ${secret} here`).text).toBe('Use [redacted: secret] here');
    expect(ofText('Authorization: Bearer abc-123-def').text).toBe('Authorization: Bearer [redacted: secret]');
    expect(ofText('DB_PASSWORD=hunter2!\nPORT=5432').text).toBe('DB_PASSWORD=[redacted: secret]\nPORT=5432');
    expect(ofText('postgres://app:s3cr3t@db.example/app').text).toBe(
      'postgres://app:[redacted: secret]@db.example/app',
    );
  });

  it('redacts the fields of nested JSON and of JSON in text, and the same value in other texts', () => {
    const structured: JsonValue = { user: { name: 'Ada', password: 'correct horse' }, list: [{ apiKey: 'k-1' }] };
    const content: ToolContent[] = [
      { type: 'text', text: JSON.stringify({ outer: JSON.stringify(structured) }) },
      { type: 'text', text: 'She typed correct horse.' },
    ];
    const result = apply({ structured, content });
    expect(result.structured).toEqual({
      user: { name: 'Ada', password: '[redacted: secret]' },
      list: [{ apiKey: '[redacted: secret]' }],
    });
    expect(JSON.stringify(result)).not.toMatch(/correct horse|k-1/);
    expect(result.notice).toEqual({ action: 'redacted', found: { secret: 2 } });
    expect(textOf(result.content[2])).toBe("[Redacted from this result by the organization's rules: 2 secrets.]");
  });

  it('finds secrets that follow an escape in JSON', () => {
    expect(ofText(JSON.stringify({ log: `line\n${secret}` })).text).toBe('{"log":"line\\n[redacted: secret]"}');
  });

  it.each([
    'nextPageToken: CAUQAA12',
    'password: required',
    '{"key":"ABC-1","next_page_token":"CAUQAA12","max_tokens":5,"token_count":"7"}',
    'token=${TOKEN} and password=<your-password>',
    'commit 0123456789abcdef0123456789abcdef01234567',
    '{"id": 12345678901234567890, "price": 1.50}',
  ])('leaves %j as it is', (text) => expect(ofText(text)).toEqual({ text, notice: undefined }));

  it('leaves bytes alone: images, contents of resources and text in Base64', () => {
    const bytes = Buffer.from(`${secret} `.repeat(20)).toString('base64').slice(0, 400);
    const content: ToolContent[] = [
      { type: 'text', text: bytes },
      { type: 'image', data: bytes, mimeType: 'image/png' },
      { type: 'resource', resource: { uri: 'file:///a', blob: bytes } },
    ];
    const structured = { contents: [{ uri: 'file:///a', blob: bytes }] };
    expect(apply({ content, structured }, redactPersonal)).toMatchObject({ content, structured });
  });

  it.each(['text/plain; charset=utf-8', 'application/json', 'application/vnd.api+json', 'image/svg+xml'])(
    'searches the bytes of a file that is declared as %s',
    (mimeType) => {
      const base64 = (text: string) => Buffer.from(text).toString('base64');
      const file = { uri: 'file:///a', mimeType, blob: base64(`key ${secret} end`) };
      const redacted = { ...file, blob: base64('key [redacted: secret] end') };
      const content: ToolContent[] = [{ type: 'resource', resource: file }];
      const result = apply({ content, structured: { contents: [file] } });
      expect(result.content[0]).toEqual({ type: 'resource', resource: redacted });
      expect(result.structured).toEqual({ contents: [redacted] });
      expect(result.notice).toEqual({ action: 'redacted', found: { secret: 1 } });
    },
  );

  it('searches files that are not UTF-8, and preserves their other bytes', () => {
    const blob = (text: string) => Buffer.from(text, 'latin1').toString('base64');
    const file = { uri: 'file:///a', mimeType: 'text/plain; charset=iso-8859-1', blob: blob(`Schlüssel ${secret} ÿ`) };
    expect(apply({ structured: { contents: [file] } }).structured).toEqual({
      contents: [{ ...file, blob: blob('Schlüssel [redacted: secret] ÿ') }],
    });
  });

  it('leaves a file unchanged if its bytes are not text or contain no finding', () => {
    const files = [Buffer.from([0xff, 0xfe, 0x00]), Buffer.from('nothing')].map((bytes) => ({
      uri: 'file:///a',
      mimeType: 'text/plain',
      blob: bytes.toString('base64'),
    }));
    expect(apply({ structured: { contents: files } }).structured).toEqual({ contents: files });
  });

  it('keeps numbers that JavaScript cannot represent when it redacts their neighbor', () => {
    expect(ofText(`{"id":12345678901234567890,"password":"abcdef1"}`).text).toBe(
      '{"id":12345678901234567890,"password":"[redacted: secret]"}',
    );
  });

  it('only marks, or withholds the whole result', () => {
    expect(ofText(secret, { secrets: 'mark' })).toEqual({
      text: secret,
      notice: { action: 'marked', found: { secret: 1 } },
    });
    const blocked = apply({ content: [{ type: 'text', text: secret }], structured: { secret } }, { secrets: 'block' });
    expect(blocked).toEqual({
      content: [
        {
          type: 'text',
          text: "[The call succeeded. Its result is withheld by the organization's rules. It contains: 1 secret.]",
        },
      ],
      isError: false,
      outside: true,
      notice: { action: 'withheld', found: { secret: 1 } },
    });
  });

  it('redacts what is left of a secret at the end of a quotation that was cut', () => {
    expect(ofText(`“Notes” answered: “Bad token ${secret.slice(0, 15)}…”`).text).toBe(
      '“Notes” answered: “Bad token [redacted: secret]…”',
    );
    expect(ofText('“Notes” answered: “Something is wrong with the documen…”').notice).toBeUndefined();
  });

  it('drops a link that contains a secret, and redacts the reason of an error', () => {
    const result = apply({ url: `https://a.example/?t=${secret}`, reason: `Bad token ${secret}.`, isError: true });
    expect(result).toMatchObject({ reason: 'Bad token [redacted: secret].' });
    expect(result).not.toHaveProperty('url');
  });
});

describe('personal data in results', () => {
  it.each([
    ['Write to ada@example.com.', 'Write to [redacted: e-mail address].'],
    ['Call +49 30 901820 today', 'Call [redacted: phone number] today'],
    ['Call 0044 20 7946 0958', 'Call [redacted: phone number]'],
    ['IBAN DE89 3704 0044 0532 0130 00 at the bank', 'IBAN [redacted: IBAN] at the bank'],
    ['gb82west12345698765432', '[redacted: IBAN]'],
    ['order 12 4111 1111 1111 1111 exp 12/27', 'order 12 [redacted: payment card number] exp 12/27'],
    ['{"card": 4111111111111111}', '{"card":"[redacted: payment card number]"}'],
    ['{"card": 4111111111111111110}', '{"card":"[redacted: payment card number]"}'],
    ['{"a@b.example": 1, "c@d.example": 2}', '{"[redacted: e-mail address]":1,"[redacted: e-mail address] 2":2}'],
  ])('redacts %j', (text, expected) => expect(ofText(text, redactPersonal).text).toBe(expected));

  it.each([
    'DE89 3704 0044 0532 0130 01',
    '4111 1111 1111 1112',
    'build 1766361600000 of 2026-11-27',
    '10.0.0.1:8080 and v1.2.3-4567890',
    'user@host and @name',
    '+1 2',
  ])('keeps %j', (text) => expect(ofText(text, redactPersonal)).toEqual({ text, notice: undefined }));

  it('stays linear', () => {
    for (const piece of ['a', '1 ', '+1', 'a@', 'DE89 ', '-----BEGIN ', 'token ', '{"a":'])
      expect(() => ofText(piece.repeat(50_000 / piece.length), redactPersonal)).not.toThrow();
  });
});

describe('fields that the output schema protects', () => {
  const schema: JsonObject = {
    type: 'object',
    properties: {
      account: { $ref: '#/$defs/account' },
      entries: { type: 'array', items: { anyOf: [{ type: 'null' }, { $ref: '#/$defs/account' }] } },
    },
    $defs: {
      account: { type: 'object', properties: { pin: { writeOnly: true }, login: { format: 'password' }, name: {} } },
    },
  };
  const structured = { account: { pin: 1234, login: 'opensesame', name: 'opensesame!' }, entries: [null, { pin: 5 }] };

  it('redacts them in structured content and in its text form', () => {
    const content: ToolContent[] = [{ type: 'text', text: JSON.stringify(structured) }];
    const result = apply({ structured, content }, { secrets: 'ignore' }, schema);
    const mark = '[redacted: protected field]';
    const expected = { account: { pin: mark, login: mark, name: `${mark}!` }, entries: [null, { pin: mark }] };
    expect(result.structured).toEqual(expected);
    expect(JSON.parse(textOf(result.content[0]))).toEqual(expected);
    expect(result.notice).toEqual({ action: 'redacted', found: { protected_field: 3 } });
  });

  it('keeps them if the rule says so', () =>
    expect(apply({ structured }, { protectedFields: 'ignore', secrets: 'ignore' }, schema).structured).toEqual(
      structured,
    ));

  it('throws at a schema that is too complex', () => {
    const many: JsonObject = { anyOf: Array.from({ length: 300 }, (_, nth) => ({ title: String(nth) })) };
    expect(() => apply({ structured }, {}, many)).toThrow('too complex');
  });
});

describe('the size of results', () => {
  const text = 'a'.repeat(3000);
  const rules = { maxKilobytes: 1 };

  it('cuts, marks or withholds', () => {
    expect(ofText(text, { ...rules, size: 'redact' }).text).toBe(`${'a'.repeat(1024)}\n[… 1976 characters left out]`);
    expect(ofText(text, { ...rules, size: 'mark' })).toEqual({
      text,
      notice: { action: 'marked', found: { oversize: 1 } },
    });
    expect(ofText(text, { ...rules, size: 'block' }).notice).toEqual({ action: 'withheld', found: { oversize: 1 } });
    expect(ofText(text, rules)).toEqual({ text, notice: undefined });
  });

  it('leaves out structured content that does not fit', () =>
    expect(apply({ structured: { text } }, { ...rules, size: 'redact' })).not.toHaveProperty('structured'));
});
