import type { Assistant } from './assistant.js';
import { claudeCode } from './known/claude-code.js';
import { claude } from './known/claude.js';
import { codex } from './known/codex.js';
import { cursor } from './known/cursor.js';
import { geminiCli } from './known/gemini-cli.js';
import { vsCode } from './known/vs-code.js';

/** As the page shows them. One whose callbacks cannot be known beforehand is none of them: its administrator registers it by hand. */
export const knownAssistants: readonly Assistant[] = [claudeCode, claude, cursor, vsCode, codex, geminiCli];
