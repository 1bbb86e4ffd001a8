import { html } from '../platform/http/html.js';
import { toSingleLine } from '../platform/text/quote-external-text.js';
import { truncate } from '../platform/text/truncate.js';
import type { NotificationKind } from './notification-kinds.js';

export interface MessageItem {
  eventId: string;
  kind: NotificationKind;
  /** The approval that waits for a decision. */
  approvalId?: string;
  title: string;
  facts: { label: string; value: string }[];
  url: string;
}

export interface NotificationMessage {
  /** The same for every attempt, so that receivers recognize a repetition. */
  id: string;
  organization: string;
  items: MessageItem[];
  /** Further notifications that the message does not list. */
  moreCount: number;
  homeUrl: string;
}

/** One line of visible characters, in which programs recognize no link. */
export const messageLine = (text: string): string =>
  toSingleLine(text)
    .replaceAll('://', '[:]//')
    .replace(/\bwww\./gi, 'www[.]');

const maxSubjectLength = 150;

export function subjectOf({ items, moreCount }: NotificationMessage): string {
  const count = items.length + moreCount;
  // the others were sent separately, because they have buttons
  if (!items.length) return `${count} more ${count === 1 ? 'notification' : 'notifications'}`;
  const text = count === 1 ? items[0].title : `${count} notifications, first: ${items[0].title}`;
  return truncate(text, maxSubjectLength);
}

const moreOf = ({ moreCount, homeUrl }: NotificationMessage) => `and ${moreCount} more: ${homeUrl}`;

export function plainTextOf(message: NotificationMessage): string {
  const sections = message.items.map(({ title, facts, url }) =>
    [title, ...facts.map(({ label, value }) => `${label}: ${value}`), url].join('\n'),
  );
  return [...sections, ...(message.moreCount ? [moreOf(message)] : [])].join('\n\n');
}

const footer = (organization: string) =>
  `You receive this as a member of ${organization}. Choose what reaches you on your account page. The links only open a page: nobody decides by opening one.`;

export const emailTextOf = (message: NotificationMessage): string =>
  `${plainTextOf(message)}\n\n-- \n${footer(message.organization)}\n`;

export const emailHtmlOf = (message: NotificationMessage): string =>
  html`<!doctype html>
    <html lang="en">
      <body style="font-family: sans-serif">
        ${message.items.map(
          ({ title, facts, url }) => html`
            <p>
              <strong>${title}</strong>${facts.map(({ label, value }) => html`<br />${label}: ${value}`)}<br /><a
                href="${url}"
                >Open in Countersign</a
              >
            </p>
          `,
        )}
        ${message.moreCount > 0 && html`<p>${moreOf(message)}</p>`}
        <p style="color: #555">${footer(message.organization)}</p>
      </body>
    </html>`.toString();
