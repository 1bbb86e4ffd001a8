import { markSuspiciousText } from '../text/suspicious-text.js';
import { html, type Html } from './html.js';

/** Text from elsewhere, escaped, with everything in it marked that an eye would miss or misread. */
export const renderMarkedText = (text: string): Html =>
  html`${markSuspiciousText(text).map(({ text, why }) => (why ? html`<mark title="${why}">${text}</mark>` : html`${text}`))}`;
