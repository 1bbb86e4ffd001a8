import { markedPieces } from '../text/marked-pieces.js';
import { html, type Html } from './html.js';

/** Text from elsewhere, escaped, with everything in it marked that an eye would miss or misread. */
export const visible = (text: string): Html =>
  html`${markedPieces(text).map(({ text, why }) => (why ? html`<mark title="${why}">${text}</mark>` : html`${text}`))}`;
