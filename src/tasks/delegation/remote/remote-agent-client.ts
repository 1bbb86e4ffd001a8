import { AgentCard, type Message, Role, type SendMessageRequest, type StreamResponse, type Task } from '@a2a-js/sdk';
import { A2AError } from '@a2a-js/sdk/errors';
import { type Client, ClientFactory, JsonRpcTransportFactory, RestTransportFactory } from '@a2a-js/sdk/client';
import type { ConnectionContext } from '../../../connections/connector-registry.service.js';
import { NotSent, OutcomeUnknown } from '../../../connections/connections.error.js';
import type { OutboundRequestInit } from '../../../platform/http/outbound-http-client.service.js';
import { OutboundHttpError } from '../../../platform/http/outbound-http.error.js';
import { quoteExternalText } from '../../../platform/text/quote-external-text.js';
import { secretsInHeader, withoutSecrets } from '../../../platform/text/without-secrets.js';
import type { Part } from '../../../agent/agent-model.port.js';
import { type CredentialHeader, type RemoteEndpoint, headerOf } from './remote-card.js';
import { toSdkPart } from './remote-task-status.js';

const maxResponseBytes = 4 * 1024 * 1024;
const maxStreamBytes = 32 * 1024 * 1024;
const streamIdleTimeoutMs = 10 * 60_000;
const requestTimeoutMs = 10_000;
/** One message of history is enough: the last message may be the result. */
const lastMessageOnly = 1;

/** The agent responded and refused the request. */
export class RefusedByAgent extends Error {
  override readonly name = 'RefusedByAgent';

  constructor(
    /** Text of the agent in it is quoted. */
    message: string,
    /**
     * `unknown task`: the agent has no task with this id. `not now`: credentials, a rate limit or a proxy are in the
     * way.
     */
    readonly reason: 'unknown task' | 'not now' | 'no',
  ) {
    super(message);
  }
}

export interface OutboundMessage {
  messageId: string;
  parts: Part[];
  /** To continue an existing task. */
  taskId?: string;
  contextId?: string;
  skill?: string;
}

/**
 * Client of one remote agent, built on the official SDK. Every request goes through the connection's outbound HTTP
 * client to the endpoint of the card, with the credential. Throws `RefusedByAgent`, `NotSent` or `OutcomeUnknown`.
 */
export class RemoteAgentClient {
  constructor(
    private readonly context: ConnectionContext,
    private readonly to: { endpoint: RemoteEndpoint; door: CredentialHeader },
    private readonly sendTimeoutMs: number,
  ) {}

  send({ messageId, parts, taskId = '', contextId = '', skill }: OutboundMessage): Promise<Task | Message> {
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
        historyLength: lastMessageOnly,
        returnImmediately: true,
      },
      metadata: undefined,
    };
    return this.request(this.sendTimeoutMs, (client) => client.sendMessage(request));
  }

  get(id: string, historyLength = lastMessageOnly): Promise<Task> {
    const { tenant } = this.to.endpoint;
    return this.request(requestTimeoutMs, (client) => client.getTask({ tenant, id, historyLength }));
  }

  cancel(id: string): Promise<Task> {
    const { tenant } = this.to.endpoint;
    return this.request(requestTimeoutMs, (client) => client.cancelTask({ tenant, id, metadata: undefined }));
  }

  /** Yields the task first, then its updates, until the agent closes the stream or the context's signal aborts. */
  async *subscribe(id: string): AsyncGenerator<StreamResponse> {
    const { signal } = this.context;
    const limits = { signal, maxBytes: maxStreamBytes, idleTimeoutMs: streamIdleTimeoutMs };
    const client = await this.client((input, init) => this.fetch(input, { ...init, ...limits }));
    yield* client.resubscribeTask({ tenant: this.to.endpoint.tenant, id }, { signal });
  }

  private async request<T>(timeoutMs: number, send: (client: Client) => Promise<T>): Promise<T> {
    const signal = AbortSignal.any([this.context.signal, AbortSignal.timeout(timeoutMs)]);
    let isSent = false;
    let status: number | undefined;
    const fetchIt: typeof fetch = async (input, init) => {
      const response = await this.fetch(input, {
        ...init,
        signal,
        maxBytes: maxResponseBytes,
        headersTimeoutMs: 600_000, // the signal aborts earlier
        onSent: () => (isSent = true),
      });
      status = response.status;
      return response;
    };
    try {
      return await send(await this.client(fetchIt));
    } catch (error) {
      throw this.toError(error, isSent, status);
    }
  }

  private fetch(input: string | URL | Request, init: OutboundRequestInit): Promise<Response> {
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

  /** The error has no cause: a cause may repeat the credential. */
  private toError(error: unknown, isSent: boolean, status = 0): Error {
    const text = `It responded with ${status}.`;
    if (!isSent || (error instanceof OutboundHttpError && !error.isSent)) return new NotSent(transportReason(error));
    if (status === 401 || status === 403)
      return new RefusedByAgent(`It does not accept the credential (${status}).`, 'not now');
    if (status >= 500 || status === 408) return new OutcomeUnknown(text);
    if (status === 429) return new RefusedByAgent(text, 'not now');
    if (error instanceof A2AError && isRejection(error))
      return new RefusedByAgent(this.quoted(error.message), error.reason === 'TASK_NOT_FOUND' ? 'unknown task' : 'no');
    return status >= 400 ? new RefusedByAgent(text, 'not now') : new OutcomeUnknown(transportReason(error));
  }

  private quoted(message: string): string {
    const token = this.context.secret('token');
    const secrets = token ? [token, ...secretsInHeader(headerOf(this.to.door, token)[1])] : [];
    return quoteExternalText(withoutSecrets(message, secrets));
  }
}

/** After an internal error or an invalid response the agent may still work on the task. */
const isRejection = ({ reason }: A2AError) => reason !== 'INVALID_AGENT_RESPONSE' && reason !== 'INTERNAL_ERROR';

/** Contains no text of the remote side. */
const transportReason = (error: unknown): string =>
  error instanceof OutboundHttpError
    ? error.message
    : 'Its response is missing or does not match the A2A specification.';
