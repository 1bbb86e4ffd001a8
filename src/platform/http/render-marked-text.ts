import { markSuspiciousText } from '../text/suspicious-text.js';
import { html, type Html } from './html.js';

/** External text, escaped, with marks on characters that a reader would miss or misread. */
export const renderMarkedText = (text: string): Html =>
  html`${markSuspiciousText(text).map(({ text, why }) => (why ? html`<mark title="${why}">${text}</mark>` : html`${text}`))}`;
