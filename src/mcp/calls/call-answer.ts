import type { Result } from '@modelcontextprotocol/server';
import type { CallOutcome } from '../../gate/gate.service.js';

/** The gate call that a client request maps to. */
export interface GateCall {
  operation: 'tool' | 'resources' | 'prompts' | 'completions';
  /** Full name: `<connection>__<tool>`. */
  tool: string;
  /** JSON text, as the client sent it. */
  arguments: string;
}

/** An outcome that the operation maps to its own result type, or a protocol result to send unchanged. */
export type CallAnswer = { kind: 'outcome'; outcome: CallOutcome } | { kind: 'result'; result: Result };
