import type { MessageItem } from '../notifications/interactive-message-registry.service.js';
import type { DecisionText } from './slack-decision-text.js';

export const approveAction = 'countersign_approve';
export const denyAction = 'countersign_deny';
export const denyCallback = 'countersign_deny_reason';
export const reasonField = 'reason';

const plainText = (text: string) => ({ type: 'plain_text', text, emoji: false });
/** `expand`: Slack does not collapse it. */
const section = (text: string) => ({ type: 'section', text: plainText(text), expand: true });
const linkTo = (url: string) => ({
  type: 'context',
  elements: [{ type: 'mrkdwn', text: `<${url}|Open in Countersign>` }],
});
const factsOf = ({ title, facts }: MessageItem) =>
  [title, ...facts.map(({ label, value }) => `${label}: ${value}`)].join('\n').slice(0, 2900);

const unfurlNothing = { unfurl_links: false, unfurl_media: false };

const requestText = 'A tool call waits for approval';

/** Posted first: buttons follow once the place of the message is stored. */
export const linkMessage = (item: MessageItem) => ({
  text: requestText,
  ...unfurlNothing,
  blocks: [section(factsOf(item)), linkTo(item.url)],
});

/** The buttons carry the hash of the arguments that the message shows. */
export const decisionMessage = (item: MessageItem, text: DecisionText, argumentsHash: string) => ({
  text: requestText,
  ...unfurlNothing,
  blocks: [
    section(factsOf(item)),
    section(text.definition),
    section(`Arguments:\n${text.arguments}`),
    {
      type: 'actions',
      elements: [
        {
          type: 'button',
          action_id: approveAction,
          style: 'primary',
          text: plainText('Approve'),
          value: argumentsHash,
          confirm: {
            title: plainText('Approve this call?'),
            text: plainText('It runs once, exactly as shown.'),
            confirm: plainText('Approve'),
            deny: plainText('Cancel'),
          },
        },
        {
          type: 'button',
          action_id: denyAction,
          style: 'danger',
          text: plainText('Deny'),
          value: argumentsHash,
        },
      ],
    },
    linkTo(item.url),
  ],
});

/** Replaces the message once it is closed for decisions. */
export const closedMessage = (outcome: string, url: string) => ({
  text: outcome,
  ...unfurlNothing,
  blocks: [section(outcome), linkTo(url)],
});

/** Asks for the reason of a denial. `metadata` comes back with the answer. */
export const denyView = (metadata: string, maxReasonLength: number) => ({
  type: 'modal',
  callback_id: denyCallback,
  private_metadata: metadata,
  title: plainText('Deny this call'),
  submit: plainText('Deny'),
  close: plainText('Cancel'),
  blocks: [
    {
      type: 'input',
      block_id: reasonField,
      label: plainText('Reason for denial'),
      hint: plainText('The requester sees it.'),
      element: { type: 'plain_text_input', action_id: reasonField, multiline: true, max_length: maxReasonLength },
    },
  ],
});
