import { redactResult, type ResultSearch } from './redact-result.js';
import type { ToolResult } from '../connector-registry.service.js';

export const run = (search: ResultSearch): ToolResult => redactResult(search);
