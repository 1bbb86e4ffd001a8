import { describe, expect, it } from 'vitest';
import { parseVersionConstraint, compareVersions, parseVersion } from './versions.js';

const sign = (a: string, b: string) => Math.sign(compareVersions(parseVersion(a)!, parseVersion(b)!));

describe('version comparison', () => {
  it.each([
    ['1.2.4', '1.3', -1],
    ['1.3', '1.3.0', 0],
    ['v2.0', '1.99.99', 1],
    ['1.7.28', '1.7.9', 1],
    ['2.0.0-beta.2', '2.0.0', -1],
    ['2.0.0-beta.10', '2.0.0-beta.9', 1],
    ['2.0.0+build.7', '2.0.0', 0],
    ['1.2rc1', '1.2', -1],
    ['1.2.post1', '1.2', 0],
    ['2025.7.01', '2025.7.1', 0],
    ['0.6.4', '2025.3.28', -1],
  ])('orders %s against %s as %i', (a, b, expected) => expect(sign(a, b)).toBe(expected));

  it.each(['', 'latest', 'main', '1.x', 'sha256:abc', 'unknown', '1.2.3; rm', '1'.repeat(40)])(
    'rejects %j as a version',
    (text) => expect(parseVersion(text)).toBeNull(),
  );
});

describe('parsing a version constraint', () => {
  it.each([
    [null, 'npm', 'cached'],
    [null, 'docker', { below: null }],
    ['latest', 'npm', { below: null }],
    ['1.2.3', 'npm', { exact: { parts: [1, 2, 3], early: null } }],
    ['^1.2.3', 'npm', { below: { parts: [2, 0, 0], early: null } }],
    ['^0.1.3', 'npm', { below: { parts: [0, 2, 0], early: null } }],
    ['^0.0.3', 'npm', { below: { parts: [0, 0, 4], early: null } }],
    ['~0.1.3', 'npm', { below: { parts: [0, 2, 0], early: null } }],
    ['0.1', 'npm', { below: { parts: [0, 2, 0], early: null } }],
    ['0.x', 'npm', { below: { parts: [1, 0, 0], early: null } }],
    ['1', 'npm', { below: { parts: [2, 0, 0], early: null } }],
    ['<0.2.0', 'npm', { below: { parts: [0, 2, 0], early: null } }],
    ['>=0.1.0', 'npm', { below: null }],
    ['>=0.1.0 <0.2.0', 'npm', { below: { parts: [0, 2, 0], early: null } }],
    ['>1 <=2.0.1', 'npm', { exact: { parts: [2, 0, 1], early: null } }],
    ['1.2.3 - 1.4', 'npm', { below: { parts: [1, 5, 0], early: null } }],
    ['1.2.3-beta.1', 'npm', { exact: { parts: [1, 2, 3], early: 'beta.1' } }],
    ['9999999999.0.0', 'npm', { exact: { parts: [9_999_999_999, 0, 0], early: null } }],
    ['<=1.2.3-0', 'npm', { exact: { parts: [1, 2, 3], early: '0' } }],
    ['1'.repeat(40), 'npm', null],
    ['1.2.3.4', 'docker', { exact: { parts: [1, 2, 3, 4], early: null } }],
    ['1.0.0 || 2.0.0', 'npm', { exact: { parts: [2, 0, 0], early: null } }],
    ['^1.0.0 || 1.4.2', 'npm', { below: { parts: [2, 0, 0], early: null } }],
    ['^1.0.0 || >=3', 'npm', { below: null }],
    ['next', 'npm', null],
    ['==1.4.0', 'pypi', { exact: { parts: [1, 4, 0], early: null } }],
    ['1.4.0', 'pypi', { exact: { parts: [1, 4, 0], early: null } }],
    ['~=1.4.2', 'pypi', { below: { parts: [1, 5], early: null } }],
    ['==1.4.*', 'pypi', { below: { parts: [1, 5], early: null } }],
    ['>=1.0', 'pypi', { below: null }],
    ['>=1.0,<2', 'pypi', null],
  ] as const)('resolves %j of %s', (spec, manager, expected) =>
    expect(parseVersionConstraint(spec, manager)).toEqual(expected),
  );
});
