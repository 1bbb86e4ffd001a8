import {
  Client,
  ProtocolError,
  ProtocolErrorCode,
  type ClientContext,
  type JsonSchemaValidatorResult,
  type jsonSchemaValidator,
  type JSONRPCNotification,
  type JSONRPCResponse,
  type MessageExtraInfo,
} from '@modelcontextprotocol/client';
import type { JsonObject, JsonValue } from '../platform/json/strict-json.js';
import type { ChangedList } from '../connections/catalogue-change.port.js';
import { failureMessageOf } from '../platform/errors/failure-message.js';
import { upstreamCalls, notificationLimits, type UpstreamCall } from './upstream-call.js';
import { UpstreamChangeListener } from './upstream-change-listener.js';
import { capabilitiesOf, type CapabilityProfile } from './capability-profile.js';
import { toInputRequest } from './input-requests.js';
import { TokenBucket } from './token-bucket.js';
import { CallsInProgress } from './calls-in-progress.js';

/**
 * A client for callers of one capability profile. `isPiped`: messages arrive on one pipe, without the context of a
 * request.
 */
export class McpClient extends Client {
  readonly changeListener: UpstreamChangeListener;
  readonly callsInProgress = new CallsInProgress();
  private readonly notificationBucket = new TokenBucket(...notificationLimits);

  constructor(profile: CapabilityProfile, isPiped: boolean, onListChanged: (list: ChangedList) => void) {
    super(
      { name: 'countersign', version: '0.1.0' },
      {
        // old servers leave unknown requests on a pipe unanswered; negotiating the version there would cost a whole
        // timeout
        versionNegotiation: { mode: isPiped ? 'legacy' : 'auto' },
        capabilities: capabilitiesOf(profile),
        inputRequired: { autoFulfill: false },
        // schemas of servers are compiled only in isolation: see platform/json-schema
        jsonSchemaValidator: acceptAnySchema,
        listMaxPages: 20,
      },
    );
    this.changeListener = new UpstreamChangeListener(this, onListChanged);
    this.registerRequestHandlers(profile);
    this.setNotificationHandler('notifications/message', ({ params: { level, logger, data } }) => {
      upstreamCalls.getStore()?.conversation?.log({ level, logger, data: data as JsonValue });
    });
  }

  private registerRequestHandlers(profile: CapabilityProfile): void {
    const answer = (request: object, { mcpReq }: ClientContext) => {
      this.countNotification();
      const upstreamCall = upstreamCalls.getStore() ?? this.callsInProgress.onlyCall();
      return answerServerRequest(request, profile, mcpReq.signal, upstreamCall) as Promise<never>;
    };
    if (profile.has('form') || profile.has('url')) this.setRequestHandler('elicitation/create', answer);
    if (profile.has('sampling')) this.setRequestHandler('sampling/createMessage', answer);
    if (profile.has('roots')) this.setRequestHandler('roots/list', answer);
    this.fallbackRequestHandler = ({ method }) => {
      this.countNotification();
      throw new ProtocolError(
        ProtocolErrorCode.MethodNotFound,
        `${method} is not supported: the client did not declare it.`,
      );
    };
  }

  protected override _onnotification(notification: JSONRPCNotification, extra?: MessageExtraInfo): void {
    this.countNotification();
    super._onnotification(notification, extra);
  }

  /** Marks the request of the call as answered; a response that no call waits for counts as a notification. */
  protected override _onresponse(response: JSONRPCResponse): void {
    if (!upstreamCalls.getStore()?.acceptResponse(response.id)) this.countNotification();
    super._onresponse(response);
  }

  /** Outside the stream of a call no timeout applies, so a server that floods it loses the whole client. */
  private countNotification(): void {
    const upstreamCall = upstreamCalls.getStore();
    if (upstreamCall) upstreamCall.countNotification();
    else if (!this.notificationBucket.tryTake()) this.close().catch((error: Error) => this.onerror?.(error));
  }
}

const acceptAnySchema: jsonSchemaValidator = {
  getValidator:
    <T>() =>
    (data: unknown) =>
      ({ valid: true, data: data as T, errorMessage: undefined }) as JsonSchemaValidatorResult<T>,
};

/** Requests that servers of protocol 2025 send during a call. */
async function answerServerRequest(
  request: object,
  profile: CapabilityProfile,
  signal: AbortSignal,
  upstreamCall: UpstreamCall | undefined,
): Promise<JsonObject> {
  const conversation = upstreamCall?.conversation;
  if (!conversation)
    throw invalidRequestError('This request belongs to no call in progress, so there is no caller to ask.');
  try {
    const { question } = await conversation.ask({ question: toInputRequest(request, profile) }, signal);
    return question;
  } catch (error) {
    throw invalidRequestError(failureMessageOf(error));
  }
}

const invalidRequestError = (message: string) => new ProtocolError(ProtocolErrorCode.InvalidRequest, message);
