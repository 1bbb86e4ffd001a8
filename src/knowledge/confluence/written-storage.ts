import { readWrittenText, type WrittenBlock } from '../atlassian/written-text.js';
import { escapeHtml } from './storage-html.js';

/** Converts text of an agent to the storage format. The text cannot create macros or links. */
export const toStorage = (text: string): string => readWrittenText(text).map(elementOf).join('');

function elementOf(block: WrittenBlock): string {
  switch (block.kind) {
    case 'heading':
      return `<h${block.level}>${escapeHtml(block.text)}</h${block.level}>`;
    case 'list':
      return `<ul>${block.items.map((item) => `<li><p>${escapeHtml(item)}</p></li>`).join('')}</ul>`;
    case 'paragraph':
      return `<p>${block.lines.map(escapeHtml).join('<br />')}</p>`;
    case 'code':
      return codeMacro(block.language, block.text);
  }
}

function codeMacro(language: string, code: string): string {
  const parameter = language ? `<ac:parameter ac:name="language">${escapeHtml(language)}</ac:parameter>` : '';
  const data = code.replaceAll(']]>', ']]]]><![CDATA[>');
  return `<ac:structured-macro ac:name="code">${parameter}<ac:plain-text-body><![CDATA[${data}]]></ac:plain-text-body></ac:structured-macro>`;
}
