import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { knownFile } from './known-files.js';
import { parseFile } from './parse.js';
import { parseRedactedForm } from './parse-redacted-form.js';
import { redactedForm } from './redacted-form.js';

const token = ['ghp', '_', 'Xk29dLq8vTz1RmW4yB7nC3sHj6Pf0eUaGiO5'].join('');
const known = knownFile('/home/ines/.cursor/mcp.json')!;
const sent = (content: string | object, of = known) => {
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  const parsed = parseFile(Buffer.from(text), of, (value) => value);
  const form = redactedForm(parsed, of, () => 'ab'.repeat(16));
  return { parsed, form, read: parseRedactedForm(Buffer.from(form), of, (value) => value) };
};
const withoutFingerprints = (value: object) =>
  JSON.parse(JSON.stringify(value, (key, inner: unknown) => (key === 'fingerprint' ? '' : inner))) as object;

describe('a redacted form', () => {
  it.each<[string, string | object]>([
    [
      'secrets everywhere',
      {
        mcpServers: {
          a: {
            command: 'npx',
            args: ['-y', 'mcp-remote@0.1.0', `https://x.example/${token}?key=${token}`, '--token', 'hunter2x'],
            env: { GITHUB_TOKEN: token, PLAIN: 'some text', N: '1', DB: `postgres://u:${token}@h/db` },
          },
          b: { command: `sh -c "curl -H 'Authorization: Bearer ${token}' https://u:pa55word@y.example | sh"` },
          c: {
            url: `https://z.example/mcp?api_key=${token}`,
            headers: { Authorization: `Bearer ${token}`, Cookie: 'a=b; c=d', 'X-Other': 'Basic dXNlcjpwYXNzd29yZA==' },
          },
          d: {
            command: 'docker',
            args: ['run', '-e', `API_KEY=${token}`, '-v', '/:/host', 'mcp/x:1'],
            other: { deep: [{ secret: 'abc' }, 'x y'] },
          },
        },
      },
    ],
    [
      'a repeated key and hidden characters',
      `{"mcpServers": {"a": {"command": "a", "command": "b\\u202e"}, "a": {"Command": 1, "url": "http://x.example"}, "n\\u200bo": {"command": "x"}}`,
    ],
    ['syntax errors', '{"mcpServers": {"a": {"command": "a" "args": []}, "b": 7}'],
    ['no servers', '{"a": 1}'],
    ['nothing', ''],
  ])('gives the same result as the file with %s', (_, content) => {
    const { parsed, read, form } = sent(content);
    expect(form).not.toContain(token);
    expect(withoutFingerprints(read)).toEqual(withoutFingerprints(parsed));
  });

  it('gives the same result as any file', () => {
    const piece = fc.constantFrom(
      ...[
        token,
        'hunter2x',
        'Bearer ',
        'Basic ',
        '--token',
        '--token=',
        '-e',
        'API_KEY=',
        'PASSWORD: ',
        'https://u:p4ssw0rd@x.example/',
      ],
      ...[
        'postgres://',
        '?key=',
        '&',
        '/',
        ' ',
        '"',
        '[secret:generic]',
        '[redacted]',
        '${env:TOKEN}',
        '${X:-',
        '}',
        ':',
        '@',
        '=',
        'sh -c ',
        '-u a:b',
      ],
      ...[
        'Zq81hPw0sLx72NvKb3mT',
        '3f2c9a1d-1111-4222-8333-444455556666',
        'C:\\Users\\ines',
        '~/.ssh',
        'a word',
        'true',
        '12',
        '\u200b',
        '%TOKEN%',
      ],
    );
    const text = fc.array(piece, { maxLength: 5 }).map((pieces) => pieces.join(''));
    const name = fc.oneof(
      fc.constantFrom('GITHUB_TOKEN', 'DB_PASSWORD', 'PLAIN', 'PATH', 'Authorization', 'X-Api-Key'),
      text,
    );
    const named = fc.dictionary(name, text, { maxKeys: 3 });
    const definition = fc.record(
      {
        command: text,
        args: fc.array(text, { maxLength: 4 }),
        env: named,
        url: text,
        headers: named,
        auth: named,
        cwd: text,
        other: named,
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.dictionary(text, definition, { maxKeys: 3 }), (mcpServers) => {
        const { parsed, read } = sent({ mcpServers });
        expect(withoutFingerprints(read)).toEqual(withoutFingerprints(parsed));
      }),
      {
        numRuns: 300,
        examples: [
          [{ '': { args: ['--tokenZq81hPw0sLx72NvKb3mT', `/${token}`] } }],
          [{ '': { env: { '?key=%TOKEN%\u200b': '' } } }],
        ],
      },
    );
  });

  it('is parsed again, so that a device can claim neither a hash nor a name with a secret', () => {
    const form = JSON.stringify({
      form: 1,
      status: 'read',
      problems: [{ place: '/x', reason: `because of ${token}` }],
      oddities: [{ kind: 'made_up', place: '', detail: '' }],
      entries: [
        {
          name: token,
          definition: { command: 'a', env: { KEY: token } },
          definitionHash: '0'.repeat(64),
          identity: 'x',
        },
        { name: 'b', definition: 7 },
        7,
      ],
    });
    const read = parseRedactedForm(Buffer.from(form), known, (value) => `of ${value.length}`);
    const file = parseFile(
      Buffer.from(JSON.stringify({ mcpServers: { a: { command: 'a', env: { KEY: token } } } })),
      known,
      String,
    );
    expect(JSON.stringify(read)).not.toContain(token);
    expect(read.entries).toMatchObject([
      { definitionHash: file.entries[0].definitionHash, identity: file.entries[0].identity },
    ]);
    expect(read.entries[0].secrets).toMatchObject([{ place: '' }, { place: '/env/KEY' }]);
    expect(read.oddities).toEqual([]);
  });

  it.each(['', '7', '{}', '{"form": 2}', '{"form": 1', 'a'.repeat(300_000)])('is unreadable otherwise (%#)', (form) => {
    const read = parseRedactedForm(Buffer.from(form), known, String);
    expect(read).toMatchObject({ status: 'unreadable', entries: [] });
  });
});
