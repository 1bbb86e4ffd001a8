import { describe, expect, it } from 'vitest';
import { referencesIn } from './document-references.js';

const of = (text: string, url: string | null = null, container: string | null = null) =>
  referencesIn({ title: 'A thread', text, url, container });

describe('references in a text', () => {
  it('are keys of tickets, without those inside of other words', () => {
    expect(of('See PROJ-123, [OPS_2-7] and PROJ-123. Not lower-1, v2-3, XPROJ-1a or A-PROJ-9.')).toEqual([
      { key: 'PROJ-123' },
      { key: 'OPS_2-7' },
    ]);
  });

  it('are addresses, also without the place in the page, the parameters and the last slash', () => {
    expect(of('[plan](https://wiki.example/plan/?v=2#goals), https://docs.example/a.')).toEqual([
      {
        urls: ['https://wiki.example/plan/?v=2', 'https://wiki.example/plan/', 'https://wiki.example/plan'],
      },
      { urls: ['https://docs.example/a'] },
    ]);
  });

  it('are numbers of threads in the repository of the document or in another one', () => {
    const pull = 'https://github.example/acme/billing/pull/3';
    const threads = (repository: string, number: number) => ({
      urls: ['issues', 'pull', 'discussions'].map((kind) => `https://github.example/${repository}/${kind}/${number}`),
    });
    expect(of('Fixes #12, see acme/mail#4, not a#5, &#6; or !7', pull, 'acme/billing')).toEqual([
      threads('acme/billing', 12),
      threads('acme/mail', 4),
    ]);
    expect(of('Fixes #12', 'https://chat.example/archives/C1/p2', 'general')).toEqual([]);
  });

  it('are issues and merge requests of GitLab, also below a path', () => {
    const issue = 'https://git.example/lab/acme/billing/-/issues/3';
    expect(of('See #12, !4 and acme/deep/mail!5', issue, 'acme/billing')).toEqual([
      { urls: ['https://git.example/lab/acme/billing/-/issues/12'] },
      { urls: ['https://git.example/lab/acme/billing/-/merge_requests/4'] },
      { urls: ['https://git.example/lab/acme/deep/mail/-/merge_requests/5'] },
    ]);
  });

  it('are found in linear time', () => {
    for (const piece of ['A', 'a/', 'a.', '#', '!1', 'https://', 'AB-', '-1'])
      expect(of(piece.repeat(200_000 / piece.length)).length).toBeLessThan(100_000);
  });
});
