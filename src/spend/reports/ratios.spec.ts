import { expect, test } from 'vitest';
import { centsEach, subtractDecimals, shareOf } from './ratios.js';

test('centsEach rounds once, to four decimal places', () => {
  expect(centsEach('10', '3')).toBe('3.3333');
  expect(centsEach('20', '3')).toBe('6.6667');
  expect(centsEach('0.00005', '1')).toBe('0.0001');
  expect(centsEach('0.00004', '1')).toBe('0');
  expect(centsEach('-20', '3')).toBe('-6.6667');
  expect(centsEach('123456789012345678901234.5', '1')).toBe('123456789012345678901234.5');
});

test('ratios with a zero or unknown operand are null', () => {
  expect([centsEach('1', '0'), centsEach(null, '1'), centsEach('1', null)]).toEqual([null, null, null]);
  expect([shareOf(1, 0), shareOf(null, 1), shareOf(1, null), shareOf(0, 4)]).toEqual([null, null, null, 0]);
});

test('subtractDecimals is exact', () => {
  expect(subtractDecimals('21.36232', '0.00002')).toBe('21.3623');
  expect(subtractDecimals('1', '-0.5')).toBe('1.5');
  expect(subtractDecimals('0.1', '0.3')).toBe('-0.2');
});
