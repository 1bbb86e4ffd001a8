import { describe, expect, it } from 'vitest';
import { answerFormOf } from './answer-form.js';

describe('the requested answer form', () => {
  it.each<[string, string, number]>([
    ['How many days of vacation are there?', 'Everybody has 30 days of vacation.', 1],
    ['How many days of vacation are there?', 'Ask six weeks before.', 0.5],
    ['How many days of vacation are there?', 'Ask for vacation in Almanac.', 0],
    ['How many signatures does it need?', 'It carries two valid Ed25519 signatures.', 1],
    ['How long is the probation time?', 'It is six months.', 1],
    ['How long is the probation time?', 'It is 17 metres.', 0.5],
    ['How often does the code change?', 'It changes every Monday.', 1],
    ['How much does it cost?', 'We pay 48 EUR.', 1],
    ['How much does it cost?', 'We pay nothing.', 0],
    ['How heavy is it?', 'It weighs 94 kg.', 1],
    ['When does the shift change?', 'On Tuesday at 11:00.', 1],
    ['When does the shift change?', 'The shift changes.', 0],
    ['Who approves it?', 'The lead.', 1],
  ])('of "%s" rates "%s" as %d', (question, sentence, fits) =>
    expect(answerFormOf(question).fits(sentence)).toBe(fits),
  );

  it('is a definition if the question asks for a meaning', () => {
    expect(answerFormOf('What is a Burrow?').isDefinition).toBe(true);
    expect(answerFormOf('How many Burrows are there?').isDefinition).toBe(false);
  });
});
