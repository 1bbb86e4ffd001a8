import type { Result } from '@modelcontextprotocol/server';
import type { CallOutcome } from '../../gate/gate.service.js';

/** What a request of a client comes to at the gate. */
export interface GateCall {
  operation: 'tool' | 'resources' | 'prompts' | 'completions';
  /** As the gate knows it: `<connection>__<tool>`. */
  tool: string;
  /** JSON text, as the client sent it. */
  arguments: string;
}

/** The end of a call, to be put into the words of its operation; or a result of the protocol's own, to be sent as it is. */
export type CallAnswer = { kind: 'outcome'; outcome: CallOutcome } | { kind: 'result'; result: Result };
