import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import type { RetrievedPassage } from '../passages.js';
import { answerFromPassages } from './answer.js';
import { confidence, isConfident } from './threshold.js';

const passage = (text: string, more: Partial<RetrievedPassage> = {}): RetrievedPassage => ({
  documentId: 'd',
  chunkId: text,
  title: 'Handbook',
  source: 's',
  kind: 'doc',
  snippet: '',
  text,
  coverage: 1,
  retrievedAt: '',
  ...more,
});

describe('an answer', () => {
  it('quotes the sentence that has the requested content in the requested form', () => {
    const found = [
      passage('A referral earns 1,500 EUR after the probation time. The probation time is six months.'),
      passage('Lunch is at noon.', { coverage: 0 }),
    ];
    expect(answerFromPassages('How long is the probation time?', found)?.text).toContain('six months');
  });

  it('prefers the row or sentence that starts with the term to define', () => {
    const table = '| Word | Meaning |\n| --- | --- |\n| Burrow | the charging dock |\n| Moss | fleet control |';
    const found = [
      passage('Restart the Burrow first. A Burrow rests for 20 minutes.'),
      passage(table, { title: 'Glossary' }),
    ];
    expect(answerFromPassages('What is a Burrow?', found)?.quotes[0]).toMatchObject({
      passage: { title: 'Glossary' },
      snippet: '| Word | Meaning |\n| Burrow | the charging dock |',
    });
  });

  it('includes the next sentence if it continues the topic', () => {
    const found = [passage('Subscriptions get an owner. Without an owner they are cancelled. Lunch is at noon.')];
    expect(answerFromPassages('What happens to subscriptions without an owner?', found)?.text).toBe(
      'Subscriptions get an owner. [1]\nWithout an owner they are cancelled. [1]',
    );
  });

  it('shows both sources if they contradict each other, the one that changed last first', () => {
    const old = passage('A shift on call earns 400 EUR a week.', {
      documentId: 'a',
      updatedAt: '2024-01-01T00:00:00Z',
    });
    const newer = passage('A shift on call earns 450 EUR a week.', {
      documentId: 'b',
      updatedAt: '2026-01-01T00:00:00Z',
    });
    const question = 'How much does a shift on call earn?';
    expect(answerFromPassages(question, [old, newer])?.text).toBe(
      'The sources differ. The one that changed last comes first.\nA shift on call earns 450 EUR a week. [1]\nA shift on call earns 400 EUR a week. [2]',
    );
    expect(answerFromPassages(question, [{ ...old, updatedAt: null }, newer])?.text).toMatch(/^The sources differ\.\n/);
    const same = answerFromPassages(question, [newer, { ...newer, documentId: 'c', chunkId: 'c' }]);
    expect(same?.text).not.toContain('differ');
  });

  it('is null if the passages cover too little of the question', () => {
    expect(
      answerFromPassages('What is the dental insurance deductible?', [
        passage('Rental cars are insured: decline the insurance.', { coverage: 0.3 }),
      ]),
    ).toBeNull();
    expect(answerFromPassages('What is the dental insurance deductible?', [])).toBeNull();
    expect(answerFromPassages('?', [passage('A sentence.', { coverage: 0 })])).toBeNull();
  });

  it('contains only text of passages and cites the source of each line', () => {
    const text = fc.lorem({ mode: 'sentences', maxCount: 4 });
    fc.assert(
      fc.property(fc.lorem({ maxCount: 6 }), fc.array(text, { maxLength: 5 }), (question, texts) => {
        const found = answerFromPassages(
          `${question}?`,
          texts.map((body) => passage(body)),
        );
        for (const line of found?.text.split('\n') ?? []) {
          const [, quoted, n] = /^(.*) \[(\d+)\]$/.exec(line)!;
          expect(found?.quotes[Number(n) - 1].passage.text).toContain(quoted);
        }
      }),
    );
  });
});

it('confidence never decreases when a feature increases', () => {
  const share = fc.double({ min: 0, max: 1, noNaN: true });
  fc.assert(
    fc.property(share, share, share, share, (coverage, quoted, form, more) => {
      const features = { coverage, quoted, form };
      for (const name of ['coverage', 'quoted', 'form'] as const) {
        const better = { ...features, [name]: Math.min(1, features[name] + more) };
        expect(confidence(better)).toBeGreaterThanOrEqual(confidence(features));
        if (isConfident(features)) expect(isConfident(better)).toBe(true);
      }
    }),
  );
});
