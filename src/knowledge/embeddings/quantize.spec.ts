import { expect, it } from 'vitest';
import fc from 'fast-check';
import { cosine, quantize } from './quantize.js';

const component = fc.double({ min: -1, max: 1, noNaN: true });
const vectors = fc
  .array(fc.tuple(component, component), { minLength: 8, maxLength: 256 })
  .filter((pairs) => [0, 1].every((side) => pairs.some((pair) => Math.abs(pair[side as 0 | 1]) > 0.01)));

it('changes the cosine of two vectors by less than 0.05', () => {
  fc.assert(
    fc.property(vectors, (pairs) => {
      const one = pairs.map(([value]) => value);
      const other = pairs.map(([, value]) => value);
      const dot = (a: number[], b: number[]) => a.reduce((sum, value, index) => sum + value * b[index], 0);
      const exact = dot(one, other) / Math.sqrt(dot(one, one) * dot(other, other));
      expect(Math.abs(cosine(one, quantize(other).bytes) - exact)).toBeLessThan(0.05);
    }),
  );
});

it('keeps the signs of the components', () => {
  expect(quantize([0.5, -0.1, 0, 2])).toEqual({ bytes: Buffer.from([32, 250, 0, 127]), bits: '1001' });
});
