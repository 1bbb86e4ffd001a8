import { describe, expect, it } from 'vitest';
import { aConfiguration, anEntry } from '../../../../test/kit/estate-entry.js';
import type { Oddity, OddityKind } from '../../configuration-file.js';
import { ambiguousDefinition } from './ambiguous-definition.js';
import { hiddenUnicode } from './hidden-unicode.js';
import { oddCasePath } from './odd-case-path.js';

const odd = (kind: OddityKind, place = '', detail = 'U+202E RIGHT-TO-LEFT OVERRIDE'): Oddity => ({
  kind,
  place,
  detail,
});

describe('the hidden_unicode rule', () => {
  it('reports each entry once, with all places', () => {
    const oddities = [odd('hidden_unicode', '/args/0'), odd('hidden_unicode', '/command', 'U+200B ZERO WIDTH SPACE')];
    expect(hiddenUnicode.check(anEntry({ oddities }), aConfiguration())).toMatchObject([
      { at: 'hidden', severity: 'high', evidence: { count: 2, places: [{ place: '/args/0' }, { place: '/command' }] } },
    ]);
  });

  it('reports lookalike letters separately', () =>
    expect(
      hiddenUnicode.check(anEntry({ oddities: [odd('mixed_script', '/host', 'аpi')] }), aConfiguration()),
    ).toMatchObject([{ at: 'mixed', severity: 'medium' }]));

  it('checks instructions', () => {
    const [found] = hiddenUnicode.checkFile(
      aConfiguration({ kind: 'instructions', path: 'AGENTS.md', oddities: [odd('hidden_unicode')] }),
    );
    expect(found.reason).toContain('The instructions for the assistant in “AGENTS.md” have 1 place');
  });

  it('escapes hidden characters in names', () => {
    const [found] = hiddenUnicode.check(
      anEntry({ name: 'safe\u202etxt', oddities: [odd('hidden_unicode', '/name')] }),
      aConfiguration(),
    );
    expect(found.reason).toContain('“safe<U+202E>txt”');
  });

  it('limits the evidence', () => {
    const oddities = Array.from({ length: 500 }, (_, index) => odd('hidden_unicode', `/args/${index}`));
    const [{ evidence }] = hiddenUnicode.check(anEntry({ oddities }), aConfiguration());
    expect(evidence).toMatchObject({ count: 500 });
    expect(evidence.places).toHaveLength(20);
  });
});

describe('the odd_case_path rule', () => {
  it('names the file and its usual name', () =>
    expect(
      oddCasePath.checkFile(aConfiguration({ path: 'app/.Cursor/MCP.json', oddities: [odd('odd_case_path')] })),
    ).toMatchObject([{ severity: 'high', evidence: { path: 'app/.Cursor/MCP.json', usual: 'app/.cursor/mcp.json' } }]));
  it('accepts other oddities', () =>
    expect(oddCasePath.checkFile(aConfiguration({ oddities: [odd('odd_case_key')] }))).toEqual([]));
});

describe('the ambiguous_definition rule', () => {
  it.each(['duplicate_name', 'duplicate_key', 'both_transports', 'odd_case_key'] as const)('reports %s', (kind) =>
    expect(ambiguousDefinition.check(anEntry({ oddities: [odd(kind)] }), aConfiguration())).toMatchObject([
      { severity: 'low', evidence: { places: [{ kind }] } },
    ]),
  );
  it.each(['unknown_field', 'wrong_type', 'hidden_unicode'] as const)('ignores %s', (kind) =>
    expect(ambiguousDefinition.checkFile(aConfiguration({ oddities: [odd(kind)] }))).toEqual([]),
  );
});
