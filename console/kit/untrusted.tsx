import { memo } from 'react';
import { markSuspiciousText } from '../../src/platform/text/suspicious-text.ts';

/**
 * Untrusted text: names, arguments, artifacts, file names. Marks invisible and confusable characters, and isolates the
 * text so that it cannot change the direction of its surroundings.
 */
export const Untrusted = memo(({ text }: { text: string }) => (
  <bdi>
    {markSuspiciousText(text).map(({ text, why }, at) =>
      why ? (
        <mark key={at} title={why}>
          {text}
        </mark>
      ) : (
        text
      ),
    )}
  </bdi>
));
