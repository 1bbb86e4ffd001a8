import type { Assistant } from './assistant.js';
import { claudeCode } from './known/claude-code.js';
import { claude } from './known/claude.js';
import { codex } from './known/codex.js';
import { cursor } from './known/cursor.js';
import { geminiCli } from './known/gemini-cli.js';
import { vsCode } from './known/vs-code.js';

/**
 * In the order of the page. Excludes assistants with unpredictable redirect URIs, which an administrator registers as
 * clients.
 */
export const knownAssistants: readonly Assistant[] = [claudeCode, claude, cursor, vsCode, codex, geminiCli];
