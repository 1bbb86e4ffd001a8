import { readFileSync } from 'node:fs';
import { sha256 } from '../platform/crypto/digest.js';
import { html, type Html } from '../platform/http/page.js';

const content = readFileSync(new URL('./paste.browser.js', import.meta.url), 'utf8');

/** Adds a button that copies. Without it one click selects all of what is to be pasted. */
export const pasteScript = {
  content,
  address: `/assets/paste.js?${sha256(content).toString('hex').slice(0, 8)}`,
};

/** Text to be pasted elsewhere as it is. HTML drops the first line break in a `pre`: there is one for it to drop. */
export const paste = (text: string): Html => html`<div class="paste" data-paste><pre>${'\n'}${text}</pre></div>`;
