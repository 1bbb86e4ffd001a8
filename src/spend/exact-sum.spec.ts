import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { ExactSum, exactDecimal } from './exact-sum.js';

describe('exactDecimal', () => {
  it.each([
    ['21.36232', '21.36232'],
    ['8', '8'],
    ['0', '0'],
    ['-0', '0'],
    ['-0.5', '-0.5'],
    ['1.50', '1.5'],
    ['1e3', '1000'],
    ['1.25E+1', '12.5'],
    ['1.5e-7', '0.00000015'],
    ['0.1234567890123456789012345', '0.1234567890123456789012345'],
  ])('parses %s as %s', (written, exact) => expect(exactDecimal(written)).toBe(exact));

  it.each(['', 'NaN', 'Infinity', '1e308', '0x10', '1.', '.5', '1,5', ' 1', '١', '1'.repeat(31)])(
    'rejects %j',
    (written) => expect(exactDecimal(written)).toBeNull(),
  );
});

describe('ExactSum', () => {
  it('has no floating point error', () => {
    expect(String(new ExactSum('0.1').add('0.2'))).toBe('0.3');
    expect(String(new ExactSum().add('9007199254740993').add('0.000001'))).toBe('9007199254740993.000001');
    expect(String(new ExactSum('-0.3').add('0.1'))).toBe('-0.2');
  });

  it('equals the sum of scaled integers, in any order', () => {
    const part = fc.record({ units: fc.bigInt(-(10n ** 12n), 10n ** 12n), scale: fc.nat(12) });
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        const written = parts.map(({ units, scale }) => exactDecimal(`${units}e-${scale}`)!);
        const sum = written.reduce((total, each) => total.add(each), new ExactSum());
        const plain = parts.reduce((total, { units, scale }) => total + units * 10n ** BigInt(12 - scale), 0n);
        expect(String(sum)).toBe(exactDecimal(`${plain}e-12`));
        expect(String(written.reverse().reduce((total, each) => total.add(each), new ExactSum()))).toBe(String(sum));
      }),
    );
  });
});
