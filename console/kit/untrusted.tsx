import { memo } from 'react';
import { markedPieces } from '../../src/platform/text/suspicious-text.ts';

/**
 * Text that somebody outside wrote: names, arguments, artifacts, file names. Shown as text, with every character marked
 * that an eye would miss or misread, and set apart from its surroundings so that it cannot turn their direction.
 */
export const Untrusted = memo(({ text }: { text: string }) => (
  <bdi>
    {markedPieces(text).map(({ text, why }, at) =>
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
