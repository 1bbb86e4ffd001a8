import type { CallReview } from '../gate/call-review.entity.js';
import type { JsonValue } from '../platform/json/strict-json.js';
import { markSuspiciousText } from '../platform/text/suspicious-text.js';

/** Slack shows at most 3,000 characters of a section. A reader can still check this many lines in a chat. */
const maxSectionLength = 2800;
const maxLines = 60;

type ShownCall = Pick<CallReview, 'arguments' | 'tool' | 'title' | 'description' | 'effect' | 'tainted' | 'edits'> & {
  /** The connection and its address, account or command. */
  destination: readonly string[];
};

const taintWarning =
  'Warning: the caller read external content before this request. That content may have contained instructions to make it.';

export interface DecisionText {
  definition: string;
  arguments: string;
}

/**
 * The call in full: the confirmed definition and every argument. Null if it does not fit, or if a reader would miss or
 * misread something in it; then the decision is made on the page, which marks such text. It also shows what an approver
 * edited.
 */
export function decisionTextOf(call: ShownCall): DecisionText | null {
  const { arguments: canonical, tool, title, description, effect, tainted, edits, destination } = call;
  if (edits.length) return null;
  const shown = [
    `Tool: ${tool} (${effect})`,
    title,
    ...(description ? [description] : []),
    ...destination.map((part) => `Destination: ${part}`),
    ...(tainted ? [taintWarning] : []),
  ].join('\n');
  const values = escapeMarkup(JSON.stringify(JSON.parse(canonical) as JsonValue, null, 2));
  const definition = escapeMarkup(shown);
  const fits = [definition, values].every(
    (text) => text.length <= maxSectionLength && text.split('\n').length <= maxLines,
  );
  if (!fits || markSuspiciousText(`${shown}\n${canonical}`).some(({ why }) => why)) return null;
  return { definition, arguments: values };
}

/** Whatever Slack does with these characters, the text stays unambiguous, and the arguments stay valid JSON. */
const escapeMarkup = (text: string): string =>
  text.replace(/[&<>]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
