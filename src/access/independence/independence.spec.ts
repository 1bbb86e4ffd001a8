import { describe, expect, it } from 'vitest';
import { Independence, type Introduction, type Vouch } from './independence.js';

const introduction = (by: string, member: string, at: number): Introduction => ({
  kind: 'invitation',
  by,
  member,
  madeAt: at - 1,
  at,
});

describe('accounts that one person could use', () => {
  it('include those that the person introduced, directly or through another such account', () => {
    const known = new Independence([introduction('ada', 'ben', 10), introduction('ben', 'cem', 20)], []);
    expect(known.peopleWithAccess('cem').sort()).toEqual(['ada', 'ben']);
    expect(known.peopleWithAccess('ada')).toEqual([]);
    expect(known.isIndependent('cem', ['ada'])).toBe(false);
    expect(known.isIndependent('ada', ['cem'])).toBe(true);
  });

  it('exclude those for which an independent person vouched later', () => {
    const introductions = [introduction('ada', 'ben', 10), introduction('ada', 'cem', 20)];
    const vouched = (vouch: Vouch) => new Independence(introductions, [vouch]).peopleWithAccess('ben');
    expect(vouched({ member: 'ben', by: null, at: 30 })).toEqual([]);
    expect(vouched({ member: 'ben', by: 'eve', at: 30 })).toEqual([]);
    expect(vouched({ member: 'ben', by: 'eve', at: 5 })).toEqual(['ada']); // before the introduction
    expect(vouched({ member: 'ben', by: 'ada', at: 30 })).toEqual(['ada']);
    expect(vouched({ member: 'ben', by: 'ben', at: 30 })).toEqual(['ada']);
    expect(vouched({ member: 'ben', by: 'cem', at: 30 })).toEqual(['ada']); // possibly another account of ada
  });

  it('cannot vouch for each other in a circle', () => {
    const introductions = [introduction('ada', 'ben', 10), introduction('ada', 'cem', 10)];
    const vouches = [
      { member: 'ben', by: 'cem', at: 20 },
      { member: 'cem', by: 'ben', at: 20 },
    ];
    expect(new Independence(introductions, vouches).peopleWithAccess('ben')).toEqual(['ada']);
  });

  it('depend on the time of the vouch: a puppet account that became independent later does not make its earlier vouch valid', () => {
    const introductions = [introduction('ada', 'ben', 10), introduction('ada', 'cem', 10)];
    const vouches = [
      { member: 'ben', by: 'cem', at: 20 },
      { member: 'cem', by: null, at: 30 },
    ];
    const known = new Independence(introductions, vouches);
    expect(known.peopleWithAccess('cem')).toEqual([]);
    expect(known.peopleWithAccess('ben')).toEqual(['ada']);
  });

  it('make everyone who introduced the acting member a requester, with or without a vouch', () => {
    const known = new Independence([introduction('ada', 'ben', 10)], [{ member: 'ben', by: null, at: 20 }]);
    expect(known.requesters(['ben'])).toEqual(['ben', 'ada']);
    expect(known.requesters(['ada'])).toEqual(['ada']);
  });
});
