import type { JsonObject } from '../../platform/json/strict-json.js';
import { readWrittenText, type WrittenBlock } from '../atlassian/written-text.js';

/** Converts text of an agent to the Atlassian Document Format. The text cannot create mentions or macros. */
export const toAdf = (text: string): JsonObject => ({
  type: 'doc',
  version: 1,
  content: readWrittenText(text).map(nodeOf),
});

function nodeOf(block: WrittenBlock): JsonObject {
  switch (block.kind) {
    case 'heading':
      return { type: 'heading', attrs: { level: block.level }, content: [textNode(block.text)] };
    case 'code':
      return {
        type: 'codeBlock',
        attrs: block.language ? { language: block.language } : {},
        content: block.text ? [textNode(block.text)] : [],
      };
    case 'list':
      return {
        type: 'bulletList',
        content: block.items.map((text) => ({ type: 'listItem', content: [paragraphNode([text])] })),
      };
    case 'paragraph':
      return paragraphNode(block.lines);
  }
}

const paragraphNode = (lines: readonly string[]): JsonObject => ({
  type: 'paragraph',
  content: lines.flatMap((line, index) => (index ? [{ type: 'hardBreak' }, textNode(line)] : [textNode(line)])),
});

const textNode = (text: string): JsonObject => ({ type: 'text', text });
