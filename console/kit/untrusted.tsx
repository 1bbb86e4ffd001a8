import { memo } from 'react';
import { markedPieces } from '../../src/platform/text/marked-pieces.ts';

/**
 * Untrusted text: names, arguments, artifacts, file names. Marks invisible and confusable characters, and isolates the
 * text so that it cannot change the direction of its surroundings.
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
