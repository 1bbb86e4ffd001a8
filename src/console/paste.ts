import { readFileSync } from 'node:fs';
import { sha256 } from '../platform/crypto/digest.js';
import { html, type Html } from '../platform/http/page.js';

const content = readFileSync(new URL('./paste.browser.js', import.meta.url), 'utf8');

/** Adds a copy button. Without the script, one click selects the whole text. */
export const pasteScript = {
  content,
  address: `/assets/paste.js?${sha256(content).toString('hex').slice(0, 8)}`,
};

/** Text that people paste elsewhere. HTML ignores a line break right after `<pre>`, so one is added. */
export const paste = (text: string): Html => html`<div class="paste" data-paste><pre>${'\n'}${text}</pre></div>`;
