import { describe, expect, it } from 'vitest';
import { LetIn, type UsedLink } from './let-in.js';

const link = (kind: UsedLink['kind'], maker: string, member: string): UsedLink => ({ kind, maker, member });
const links = new LetIn([
  link('reset', 'ada', 'ben'),
  link('reset', 'ben', 'cem'),
  link('invitation', 'cem', 'dia'),
  link('reset', 'eve', 'fay'),
]);

describe('people who are perhaps one', () => {
  it('are makers of links and whom those let in, in both directions and from one to the next', () => {
    expect(links.perhapsOneWith(['ada'], ['reset']).sort()).toEqual(['ben', 'cem']);
    expect(links.perhapsOneWith(['cem'], ['reset']).sort()).toEqual(['ada', 'ben']);
    expect(links.perhapsOneWith(['ada'], ['reset', 'invitation']).sort()).toEqual(['ben', 'cem', 'dia']);
    expect(links.perhapsOneWith(['ada', 'ben', 'fay'], ['reset']).sort()).toEqual(['cem', 'eve']);
  });

  it('are nobody else', () => {
    expect(links.perhapsOneWith(['dia'], ['reset'])).toEqual([]);
    expect(links.perhapsOneWith([], ['reset', 'invitation'])).toEqual([]);
    expect(new LetIn([]).perhapsOneWith(['ada'], ['reset'])).toEqual([]);
  });
});
