import { describe, expect, it } from 'vitest';
import { emailHtmlOf, emailTextOf, messageLine, type NotificationMessage, subjectOf } from './notification-message.js';
import { slackBodyOf, teamsBodyOf } from './senders/webhook-sender.service.js';

const hostile = 'Eve <!channel> *bold* [here](https://evil.example) <b>&\r\nBcc: x';
const itemOf = (nth: number) => ({
  eventId: `e${nth}`,
  kind: 'approval_requested' as const,
  title: messageLine(hostile),
  facts: [{ label: 'Step', value: 'review' }],
  url: `https://countersign.example/approvals/${nth}`,
});
const messageOf = (count: number, moreCount = 0): NotificationMessage => ({
  id: 'm1',
  organization: 'Larkmoor',
  items: Array.from({ length: count }, (_, nth) => itemOf(nth)),
  moreCount,
  homeUrl: 'https://countersign.example/console',
});

describe('a message', () => {
  it('contains names on one line, without a link that a program would recognize', () => {
    expect(messageLine(hostile)).toBe('Eve <!channel> *bold* [here](https[:]//evil.example) <b>& Bcc: x');
    expect(messageLine('go to www.evil.example\u202e')).toBe('go to www[.]evil.example');
  });

  it('has a subject of one line that counts a digest', () => {
    expect(subjectOf(messageOf(1))).toContain('Eve');
    expect(subjectOf(messageOf(2, 3))).toMatch(/^5 notifications, first: Eve/);
    expect(subjectOf(messageOf(1)).length).toBeLessThanOrEqual(150);
  });

  it('counts the remaining notifications of a digest whose others were sent separately', () => {
    expect(subjectOf(messageOf(0, 3))).toBe('3 more notifications');
    expect(subjectOf(messageOf(0, 1))).toBe('1 more notification');
    expect(JSON.stringify(slackBodyOf(messageOf(0, 1)))).toContain('and 1 more');
  });

  it('escapes markup in HTML and lists every link in text', () => {
    expect(emailHtmlOf(messageOf(1))).not.toContain('<b>');
    const text = emailTextOf(messageOf(2, 1));
    expect(text).toContain('/approvals/0');
    expect(text).toContain('/approvals/1');
    expect(text).toContain('and 1 more');
  });

  it('shows names in Slack and Teams without markup or mentions', () => {
    const { text, blocks } = slackBodyOf(messageOf(30));
    expect(text).not.toContain('<');
    const marked = blocks.filter((block) => JSON.stringify(block).includes('mrkdwn'));
    expect(JSON.stringify(marked)).not.toContain('Eve');
    expect(blocks.length).toBeLessThanOrEqual(50); // Slack's limit
    const card = JSON.stringify(teamsBodyOf(messageOf(30)).attachments[0].content);
    expect(card).not.toContain('"TextBlock"');
    expect(card).toContain('and 20 more');
  });
});
