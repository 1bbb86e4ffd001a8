import { AgentCard, type Message, Role, type SendMessageRequest, type StreamResponse, type Task } from '@a2a-js/sdk';
import { A2AError } from '@a2a-js/sdk/errors';
import { type Client, ClientFactory, JsonRpcTransportFactory, RestTransportFactory } from '@a2a-js/sdk/client';
import type { ConnectionContext } from '../../../connections/connection-kinds.service.js';
import { NotSent, Uncertain } from '../../../connections/connections.error.js';
import type { OutgoingInit } from '../../../platform/http/outgoing.service.js';
import { OutgoingError } from '../../../platform/http/outgoing.error.js';
import { quoted } from '../../../platform/text/quoted.js';
import type { Part } from '../../../agent/agent-model.service.js';
import { type Door, type Endpoint, headerOf, short } from './remote-card.js';
import { toSdkPart } from './remote-standing.js';

const largestAnswer = 4 * 1024 * 1024;
const largestStream = 32 * 1024 * 1024;
const longestSilenceMs = 10 * 60_000;
const longestLookMs = 10_000;
const longestReason = 300;
/** How much of what was said before is asked for: the last word may be the answer. */
const lastOnly = 1;

/** The agent has answered, and does not do it. */
export class RefusedByAgent extends Error {
  override readonly name = 'RefusedByAgent';

  constructor(
    /** The agent's own words in it are quoted. */
    message: string,
    /** `unknown task`: it has none of this name. `not now`: what stands before it, or how much was asked, is in the way. */
    readonly why: 'unknown task' | 'not now' | 'no',
  ) {
    super(message);
  }
}

export interface ToSend {
  messageId: string;
  parts: Part[];
  /** Of a task that is there already. */
  taskId?: string;
  contextId?: string;
  skill?: string;
}

/**
 * One agent elsewhere, by the official client. Every request goes out through the connection's own way, to the endpoint that
 * the card named, with the credential. Throws `RefusedByAgent`, `NotSent` or `Uncertain`.
 */
export class RemoteWire {
  constructor(
    private readonly context: ConnectionContext,
    private readonly to: { endpoint: Endpoint; door: Door },
    private readonly longestSendMs: number,
  ) {}

  send({ messageId, parts, taskId = '', contextId = '', skill }: ToSend): Promise<Task | Message> {
    const request: SendMessageRequest = {
      tenant: this.to.endpoint.tenant,
      message: {
        messageId,
        taskId,
        contextId,
        role: Role.ROLE_USER,
        parts: parts.map(toSdkPart),
        metadata: skill ? { skillId: skill } : undefined,
        extensions: [],
        referenceTaskIds: [],
      },
      configuration: {
        acceptedOutputModes: ['text/plain', 'application/json'],
        taskPushNotificationConfig: undefined,
        historyLength: lastOnly,
        returnImmediately: true,
      },
      metadata: undefined,
    };
    return this.trip(this.longestSendMs, (client) => client.sendMessage(request));
  }

  get(id: string, historyLength = lastOnly): Promise<Task> {
    const { tenant } = this.to.endpoint;
    return this.trip(longestLookMs, (client) => client.getTask({ tenant, id, historyLength }));
  }

  cancel(id: string): Promise<Task> {
    const { tenant } = this.to.endpoint;
    return this.trip(longestLookMs, (client) => client.cancelTask({ tenant, id, metadata: undefined }));
  }

  /** First the task as it is, then what happens to it, until the agent closes the stream or the context's signal is aborted. */
  async *subscribe(id: string): AsyncGenerator<StreamResponse> {
    const { signal } = this.context;
    const limits = { signal, maxBytes: largestStream, idleTimeoutMs: longestSilenceMs };
    const client = await this.client((input, init) => this.fetch(input, { ...init, ...limits }));
    yield* client.resubscribeTask({ tenant: this.to.endpoint.tenant, id }, { signal });
  }

  private async trip<T>(longestMs: number, ask: (client: Client) => Promise<T>): Promise<T> {
    const signal = AbortSignal.any([this.context.signal, AbortSignal.timeout(longestMs)]);
    let isSent = false;
    let status: number | undefined;
    const fetchIt: typeof fetch = async (input, init) => {
      const response = await this.fetch(input, {
        ...init,
        signal,
        maxBytes: largestAnswer,
        headersTimeoutMs: 600_000, // the signal ends it before
        onSent: () => (isSent = true),
      });
      status = response.status;
      return response;
    };
    try {
      return await ask(await this.client(fetchIt));
    } catch (error) {
      throw this.fault(error, isSent, status);
    }
  }

  private fetch(input: string | URL | Request, init: OutgoingInit): Promise<Response> {
    const headers = new Headers(init.headers);
    const token = this.context.secret('token');
    if (token) headers.set(...headerOf(this.to.door, token));
    const url = input instanceof Request ? input.url : input;
    return this.context.outgoing.fetch(url, { ...init, headers, redirect: 'error' });
  }

  private client(fetchImpl: typeof fetch): Promise<Client> {
    const options = { fetchImpl, legacyCompat: { enabled: true } };
    const transports = [new JsonRpcTransportFactory(options), new RestTransportFactory(options)];
    const { url, binding, version, tenant } = this.to.endpoint;
    const only = { url, tenant, protocolBinding: binding, protocolVersion: version };
    return new ClientFactory({ transports }).createFromAgentCard(AgentCard.fromJSON({ supportedInterfaces: [only] }));
  }

  /** Without what caused it: that may repeat what the other side was shown. */
  private fault(error: unknown, isSent: boolean, status = 0): Error {
    const said = `It answered with ${status}.`;
    if (!isSent || (error instanceof OutgoingError && !error.isSent)) return new NotSent(ownWords(error));
    if (status === 401 || status === 403)
      return new RefusedByAgent(`It does not accept the credential (${status}).`, 'not now');
    if (status >= 500 || status === 408) return new Uncertain(said);
    if (status === 429) return new RefusedByAgent(said, 'not now');
    if (error instanceof A2AError && isRefusal(error))
      return new RefusedByAgent(
        quoted(this.redacted(error.message), longestReason),
        error.reason === 'TASK_NOT_FOUND' ? 'unknown task' : 'no',
      );
    return status >= 400 ? new RefusedByAgent(said, 'not now') : new Uncertain(ownWords(error));
  }

  private redacted(words: string): string {
    const token = this.context.secret('token');
    const shown = token ? [token, headerOf(this.to.door, token)[1], Buffer.from(token).toString('base64')] : [];
    return short(
      shown.reduce((text, secret) => text.replaceAll(secret, '[credential]'), words),
      longestReason,
    );
  }
}

/** An agent that failed inside, or was not understood, may be at it all the same. */
const isRefusal = ({ reason }: A2AError) => reason !== 'INVALID_AGENT_RESPONSE' && reason !== 'INTERNAL_ERROR';

/** No word of the other side's. */
const ownWords = (error: unknown): string =>
  error instanceof OutgoingError ? error.message : 'Its answer did not come, or is not of the documented form.';
