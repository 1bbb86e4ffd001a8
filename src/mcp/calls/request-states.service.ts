import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { Injectable } from '@nestjs/common';
import { sha256 } from '../../platform/crypto/digest.js';
import { SealService } from '../../platform/crypto/seal.service.js';
import { canonicalJson } from '../../platform/json/strict-json.js';
import type { ClientRequest } from './client-request.js';

/** The state of a call whose client must retry with an answer. */
export type RequestState =
  { at: 'approval'; callId: string } | { at: 'question'; exchangeId: string; number: number } | { at: 'account' };

type DatedRequestState = RequestState & { until: number };

const lifetimeMs = 60 * 60 * 1000;

/**
 * `requestState` of the protocol (2026-07-28, multi round-trip requests). The client returns it, so it is sealed for this
 * caller, client, configuration and call, and it expires. A replay is harmless: an approved call runs once, and only the
 * first answer to a question counts.
 */
@Injectable()
export class RequestStatesService {
  constructor(private readonly seal: SealService) {}

  write(request: ClientRequest, state: RequestState): string {
    const dated: DatedRequestState = { ...state, until: Date.now() + lifetimeMs };
    return this.seal.seal(JSON.stringify(dated), place(request)).toString('base64url');
  }

  /** Null: the request is not a retry. Throws if the state was not issued for this call or has expired. */
  read(request: ClientRequest): RequestState | null {
    const text: unknown = request.ctx.mcpReq.requestState();
    if (text === undefined) return null;
    const state = this.open(String(text), request);
    if (!state || state.until < Date.now())
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Invalid or expired requestState', {
        reason: 'invalid_request_state',
      });
    return state;
  }

  private open(text: string, request: ClientRequest): DatedRequestState | null {
    try {
      return JSON.parse(this.seal.open(Buffer.from(text, 'base64url'), place(request)).toString()) as DatedRequestState;
    } catch {
      return null; // not issued by us for this call
    }
  }
}

function place({ caller: { principal, configurationId }, call: { operation, tool, arguments: args } }: ClientRequest) {
  const { tenantId, memberId = null, clientId = null } = principal;
  const bound = [tenantId, memberId, clientId, configurationId, operation, tool, sha256(args).toString('hex')];
  return { table: 'mcp', column: 'request_state', row: sha256(canonicalJson(bound)).toString('hex') };
}
