import { AgentCard, type Message, Role, type SendMessageRequest, type Task } from '@a2a-js/sdk';
import { A2AError } from '@a2a-js/sdk/errors';
import { type Client, ClientFactory, JsonRpcTransportFactory, RestTransportFactory } from '@a2a-js/sdk/client';
import type { ConnectionContext } from '../../../connections/connection-kinds.service.js';
import { NotSent, Uncertain } from '../../../connections/connections.error.js';
import { OutgoingError } from '../../../platform/http/outgoing.error.js';
import type { Part } from '../../../agent/agent-model.service.js';
import { type Door, type Endpoint, headerOf, short } from './remote-card.js';
import { toSdkPart } from './remote-standing.js';

const largestAnswer = 4 * 1024 * 1024;
const longestLookMs = 20_000;
const longestReason = 300;
/** How much of what was said before is asked for: the last word may be the answer. */
const historyLength = 1;

/** The agent has answered, and does not do it. */
export class RefusedByAgent extends Error {
  override readonly name = 'RefusedByAgent';

  constructor(
    message: string,
    /** It knows no such task. */
    readonly isUnknownTask: boolean,
    options?: ErrorOptions,
  ) {
    super(message, options);
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
        historyLength,
        returnImmediately: true,
      },
      metadata: undefined,
    };
    return this.trip(this.longestSendMs, (client) => client.sendMessage(request));
  }

  get(id: string): Promise<Task> {
    const { tenant } = this.to.endpoint;
    return this.trip(longestLookMs, (client) => client.getTask({ tenant, id, historyLength }));
  }

  cancel(id: string): Promise<Task> {
    const { tenant } = this.to.endpoint;
    return this.trip(longestLookMs, (client) => client.cancelTask({ tenant, id, metadata: undefined }));
  }

  private async trip<T>(longestMs: number, ask: (client: Client) => Promise<T>): Promise<T> {
    const signal = AbortSignal.any([this.context.signal, AbortSignal.timeout(longestMs)]);
    let isSent = false;
    let status: number | undefined;
    const fetchIt: typeof fetch = async (input, init) => {
      const headers = new Headers(init?.headers);
      const token = this.context.secret('token');
      if (token) headers.set(...headerOf(this.to.door, token));
      const response = await this.context.outgoing.fetch(input instanceof Request ? input.url : input, {
        ...init,
        headers,
        signal,
        redirect: 'error',
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

  private client(fetchImpl: typeof fetch): Promise<Client> {
    const options = { fetchImpl, legacyCompat: { enabled: true } };
    const transports = [new JsonRpcTransportFactory(options), new RestTransportFactory(options)];
    const { url, binding, version, tenant } = this.to.endpoint;
    const only = { url, tenant, protocolBinding: binding, protocolVersion: version };
    return new ClientFactory({ transports }).createFromAgentCard(AgentCard.fromJSON({ supportedInterfaces: [only] }));
  }

  private fault(error: unknown, isSent: boolean, status = 0): Error {
    const refused = (words: string, isUnknownTask = false) =>
      new RefusedByAgent(words, isUnknownTask, { cause: error });
    if (!isSent || (error instanceof OutgoingError && !error.isSent))
      return new NotSent(this.wordsOf(error), { cause: error });
    if (status === 401 || status === 403) return refused(`It does not accept the credential (${status}).`);
    if (error instanceof A2AError && error.reason !== 'INVALID_AGENT_RESPONSE')
      return refused(this.wordsOf(error), error.reason === 'TASK_NOT_FOUND');
    if (status >= 400 && status < 500) return refused(`It answered with ${status}.`, status === 404);
    return new Uncertain(this.wordsOf(error), { cause: error });
  }

  /** What the other side says may repeat what it was shown. */
  private wordsOf(error: unknown): string {
    const words = error instanceof Error ? error.message : String(error);
    const token = this.context.secret('token');
    return short(token ? words.replaceAll(token, '[credential]') : words, longestReason);
  }
}
